import { useEffect } from "preact/hooks";

interface Shortcuts {
  focusField(): void;
  showHelp(): void;
}

/** `/` and ⌘K or Ctrl+K focus the field, `?` shows help, and Esc leaves the panel of an embedding site. */
export function useShortcuts({ focusField, showHelp }: Shortcuts): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, defaultPrevented } = event;
      if (defaultPrevented || document.querySelector("dialog[open]")) return;
      if (key === "Escape") closePanel();
      const withCommand = event.metaKey || event.ctrlKey;
      const action = key === "k" && withCommand ? focusField : shortcutWithoutCommand(event);
      if (!action) return;
      event.preventDefault();
      action();
    };
    const shortcutWithoutCommand = ({ key, target, metaKey, ctrlKey, altKey }: KeyboardEvent) => {
      if (metaKey || ctrlKey || altKey || isField(target)) return null;
      return key === "/" ? focusField : key === "?" ? showHelp : null;
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** Tells an embedding site that Esc was pressed. The message says nothing else, so that any site may get it. */
function closePanel(): void {
  if (window.parent !== window) window.parent.postMessage("lorebase:close", "*");
}
