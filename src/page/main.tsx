import { render } from "preact";
import { App } from "./app.js";
import { config } from "./page-config.js";
import { onCodeInAddress } from "./pending-sign-in.js";
import { SignIn } from "./sign-in.js";
import "./style.css";

// The panel of the embedding script has a head of its own.
if (location.hash === "#panel") document.documentElement.classList.add("panel");
const root = document.getElementById("app")!;
// A visitor may have begun to type before the script was loaded.
const typed = root.querySelector<HTMLInputElement>("#q")?.value ?? "";
root.replaceChildren();
if (config.state === "sign-in") render(<SignIn />, root);
else {
  // A link of an e-mail that is opened once more has a code, which isn't to be shared with the address.
  onCodeInAddress(() => {});
  render(<App initialQuery={typed} />, root);
}
