import type { PageLanguage } from "./strings/page-language.js";

/**
 * The script at `/embed.js`, which adds a button and a panel with a page to any site. It has no inline style and no
 * HTML text, so that it works under a content security policy with nonces and Trusted Types: its style sheet is
 * constructed, and lies in a shadow tree that the site's styles don't reach.
 */
export function embedScript({ strings: { client } }: PageLanguage): string {
  const strings = JSON.stringify({ ask: client.ask, close: client.close });
  return SCRIPT.replace("STRINGS", () => strings);
}

const SCRIPT = `(() => {
  "use strict";
  const script = document.currentScript ?? document.querySelector('script[data-slug][src*="/embed.js"]');
  const strings = STRINGS;
  const { slug, label = strings.ask, position = "right" } = script.dataset;
  const url = new URL("h/" + encodeURIComponent(slug), script.src);
  const side = position === "left" ? "left" : "right";
  const make = (name, properties, attributes = {}) => {
    const element = Object.assign(document.createElement(name), properties);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const start = () => {
    const host = make("lorebase-panel", {}, { "data-slug": slug });
    const root = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(\`
      :host { all: initial; color-scheme: light dark }
      button { font: 600 15px/1 system-ui, sans-serif; color: light-dark(#fff, #111); cursor: pointer;
        background: light-dark(#1f2937, #e5e7eb); border: 0; border-radius: 24px; padding: 15px 20px; min-height: 44px }
      button:focus-visible { outline: 3px solid #3b82f6; outline-offset: 2px }
      .open, .panel { position: fixed; bottom: max(20px, env(safe-area-inset-bottom)); \${side}: 20px;
        z-index: 2147483000; box-shadow: 0 6px 28px #0005 }
      .panel { width: min(440px, calc(100vw - 24px)); height: min(720px, calc(100dvh - 24px)); bottom: 12px; \${side}: 12px;
        border-radius: 14px; overflow: hidden; background: Canvas; display: flex; flex-direction: column }
      .panel[hidden], .open[hidden] { display: none }
      .head { display: flex; align-items: center; padding: 4px 4px 0 16px; font: 600 15px/1.3 system-ui, sans-serif;
        color: light-dark(#1b1f27, #e8eaee); background: light-dark(#fff, #16181d) }
      .head span { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
      .close { width: 44px; padding: 0; font-size: 24px; font-weight: 400; color: inherit; background: none;
        outline-offset: -3px !important }
      iframe { flex: 1; width: 100%; border: 0 }\`);
    root.adoptedStyleSheets = [sheet];
    const open = make("button", { type: "button", className: "open", textContent: label }, { "aria-expanded": "false",
      "aria-haspopup": "dialog" });
    const close = make("button", { type: "button", className: "close", textContent: "×" }, { "aria-label": strings.close });
    const head = make("div", { className: "head" });
    head.append(make("span", { textContent: label }), close);
    const panel = make("div", { className: "panel", hidden: true }, { role: "dialog", "aria-label": label });
    let frame;
    const toggle = (isOpen) => {
      if (isOpen && !frame) panel.append((frame = make("iframe", { title: label, src: url.href + "#panel" })));
      panel.hidden = !isOpen;
      open.hidden = isOpen;
      open.setAttribute("aria-expanded", String(isOpen));
      (isOpen ? frame : open).focus();
    };
    open.addEventListener("click", () => toggle(true));
    close.addEventListener("click", () => toggle(false));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !panel.hidden) toggle(false);
    });
    // The page in the frame gets the keys itself, and tells that Escape was pressed.
    addEventListener("message", ({ source, origin, data }) => {
      if (frame && source === frame.contentWindow && origin === url.origin && data === "lorebase:close") toggle(false);
    });
    panel.append(head);
    root.append(open, panel);
    document.body.append(host);
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
})();
`;
