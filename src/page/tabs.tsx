import type { VNode } from "preact";
import { strings } from "./strings.js";

export type View = "ask" | "search";

/** The choice between asking and searching. */
export function Tabs({ view, onSelect }: { readonly view: View; readonly onSelect: (view: View) => void }): VNode {
  const other = view === "ask" ? "search" : "ask";
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    onSelect(other);
  };
  return (
    <div class="tabs" role="tablist" aria-label={strings.view}>
      {(["ask", "search"] as const).map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`tab-${each}`}
          aria-controls={`view-${each}`}
          aria-selected={each === view}
          tabIndex={each === view ? 0 : -1}
          onClick={() => onSelect(each)}
          onKeyDown={onKeyDown}
        >
          {strings[each]}
        </button>
      ))}
    </div>
  );
}
