import type { ComponentChildren, VNode } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./icon-button.js";
import { CloseIcon } from "./icons.js";
import { strings } from "./strings.js";

interface ModalProps {
  readonly title: string;
  readonly class: string;
  readonly children: ComponentChildren;
  /** More in its head. */
  readonly actions?: ComponentChildren;
  readonly onClose: () => void;
}

/** A modal dialog, open as long as it exists. Esc and a click beside it close it; the focus goes back where it was. */
export function Modal({ title, class: className, children, actions, onClose }: ModalProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    element.addEventListener("close", onClose);
    return () => {
      element.removeEventListener("close", onClose);
      // Gives the focus back, which is not possible while the dialog is open, nor when it is gone.
      element.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={className}
      aria-labelledby={titleId}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <div class="dialog-content">
        <div class="dialog-head">
          <h2 id={titleId} dir="auto" title={title}>
            {title}
          </h2>
          {actions}
          <IconButton label={strings.close} icon={<CloseIcon />} onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
