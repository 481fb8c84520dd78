// The entry point of the web page that the server sends to browsers.

import { render } from "preact";
import { Page } from "./page.tsx";

render(<Page />, document.getElementById("page")!);
