import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { CheckIcon, CopyIcon } from "./icons.js";
import { strings } from "./strings.js";

const SHOWN_MS = 1500;

/** Copies a text, and says so for a moment. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }): VNode {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class="icon-button"
      title={label}
      aria-label={isCopied ? strings.copied : label}
      onClick={copy}
    >
      {isCopied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}
