// VitePress's own theme, without its fonts, with Sluice as the search box.

import DefaultTheme from "vitepress/theme-without-fonts";
import { h } from "vue";
import SearchBox from "./SearchBox.vue";
import "./style.css";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "nav-bar-content-before": () => h(SearchBox) }),
};
