import type { VNode } from "preact";
import { Modal } from "./modal.js";
import { strings } from "./strings.js";

const SHORTCUTS: readonly (readonly [string, readonly string[]])[] = [
  [strings.goToField, ["/", "⌘ K", `${strings.ctrlKey} K`]],
  [strings.send, [strings.enterKey]],
  [strings.newLine, [`${strings.shiftKey} ${strings.enterKey}`]],
  [strings.moveThroughResults, ["↑", "↓"]],
  [strings.openResult, [strings.enterKey]],
  [strings.close, [strings.escapeKey]],
  [strings.showHelp, ["?"]],
];

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Modal class="shortcut-help" title={strings.keyboardShortcuts} onClose={onClose}>
      <dl>
        {SHORTCUTS.map(([action, keys]) => (
          <div key={action}>
            <dt>{action}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
