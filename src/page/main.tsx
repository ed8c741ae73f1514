import { render } from "preact";
import { App } from "./app.js";
import { config } from "./page-config.js";
import { takeCodeInAddress } from "./pending-sign-in.js";
import { SignIn } from "./sign-in.js";
import "./style.css";

// The panel of the embedding script has a head of its own.
if (location.hash === "#panel") document.documentElement.classList.add("panel");
// Taken out of the address in any case, so that it isn't shared with it.
const code = takeCodeInAddress();
const root = document.getElementById("app")!;
// A visitor may have begun to type before the script was loaded.
const typed = root.querySelector<HTMLInputElement>("#q")?.value ?? "";
root.replaceChildren();
render(config.state === "sign-in" ? <SignIn code={code} /> : <App initialQuery={typed} />, root);
