import { render } from "preact";
import { App } from "./app.js";
import { config } from "./page-config.js";
import { SignIn } from "./sign-in.js";
import "./style.css";

// The panel of the embedding script has a head of its own.
if (location.hash === "#panel") document.documentElement.classList.add("panel");
const root = document.getElementById("app")!;
// A visitor may have begun to type before the script was loaded.
const typed = root.querySelector<HTMLInputElement>("#q")?.value ?? "";
root.replaceChildren();
render(config.state === "sign-in" ? <SignIn /> : <App initialQuery={typed} />, root);
