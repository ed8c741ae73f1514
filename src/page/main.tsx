import { render } from "preact";
import { App } from "./app.js";
import { config } from "./page-config.js";
import { SignIn } from "./sign-in.js";
import "./style.css";

const root = document.getElementById("app")!;
// A visitor may have begun to type before the script was loaded.
const typed = root.querySelector<HTMLInputElement>("#q")?.value ?? "";
root.replaceChildren();
render(config.state === "sign-in" ? <SignIn /> : <App initialQuery={typed} />, root);
