// The entry point of the web page that the server sends to browsers.

import { render } from "preact";
import { Page } from "./shell/page.tsx";

render(<Page />, document.getElementById("page")!);
