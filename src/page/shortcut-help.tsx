import type { VNode } from "preact";
import { Modal } from "./modal.js";

const SHORTCUTS: readonly (readonly [string, readonly string[]])[] = [
  ["Go to the field", ["/", "⌘ K", "Ctrl K"]],
  ["Send", ["Enter"]],
  ["New line", ["Shift Enter"]],
  ["Move through results", ["↑", "↓"]],
  ["Open a result or a source", ["Enter"]],
  ["Close", ["Esc"]],
  ["Show this help", ["?"]],
];

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Modal class="shortcut-help" title="Keyboard shortcuts" onClose={onClose}>
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
