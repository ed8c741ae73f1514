import type { PageConfig } from "../http/page/page-data.js";

/** What the server has written into the page. */
export const config: PageConfig = JSON.parse(document.getElementById("lorebase")!.textContent!);
