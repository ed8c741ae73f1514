import type { RefObject, VNode } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { SendIcon, StopIcon } from "./icons.js";
import { strings } from "./strings.js";

interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** The field for a question, which grows with its text. */
export function Composer({ field, isBusy, onSend, onStop }: ComposerProps): VNode {
  const [text, setText] = useState("");
  useLayoutEffect(() => fitHeight(field.current!), [text]);

  function send(): void {
    if (isBusy || text.trim() === "") return;
    onSend(text.trim());
    setText("");
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        maxLength={MAX_QUERY_LENGTH}
        placeholder={strings.askQuestion}
        aria-label={strings.question}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return;
          event.preventDefault();
          send();
        }}
      />
      {isBusy ? (
        <button type="button" class="send" aria-label={strings.stop} title={strings.stop} onClick={onStop}>
          <StopIcon />
        </button>
      ) : (
        <button type="submit" class="send" aria-label={strings.send} title={strings.send} disabled={text.trim() === ""}>
          <SendIcon />
        </button>
      )}
    </form>
  );
}

/** Enter, unless it begins a line or ends the composition of a character. */
export function isSendKey({ key, shiftKey, isComposing }: KeyboardEvent): boolean {
  return key === "Enter" && !shiftKey && !isComposing;
}

export function fitHeight(field: HTMLTextAreaElement): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
