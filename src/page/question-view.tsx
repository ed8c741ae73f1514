import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { fitHeight, isSendKey } from "./composer.js";
import { CopyButton } from "./copy-button.js";
import { IconButton } from "./icon-button.js";
import { EditIcon } from "./icons.js";
import { strings } from "./strings.js";

interface QuestionViewProps {
  readonly text: string;
  readonly onEdit: (text: string) => void;
}

/** A question of the visitor, which can be edited and asked again. */
export function QuestionView({ text, onEdit }: QuestionViewProps): VNode {
  const [isEditing, setIsEditing] = useState(false);
  const actions = useRef<HTMLDivElement>(null);

  function close(): void {
    setIsEditing(false);
    requestAnimationFrame(() => actions.current?.querySelector("button")?.focus());
  }

  if (isEditing)
    return (
      <QuestionEditor
        text={text}
        onCancel={close}
        onSave={(edited) => {
          setIsEditing(false);
          onEdit(edited);
        }}
      />
    );
  return (
    <article class="question" aria-label={strings.question}>
      <div class="actions" ref={actions}>
        <IconButton label={strings.edit} icon={<EditIcon />} onClick={() => setIsEditing(true)} />
        <CopyButton label={strings.copyQuestion} text={() => text} />
      </div>
      <p dir="auto">{text}</p>
    </article>
  );
}

interface QuestionEditorProps {
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

function QuestionEditor({ text, onSave, onCancel }: QuestionEditorProps): VNode {
  const [edited, setEdited] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current!.focus(), []);
  useLayoutEffect(() => fitHeight(field.current!), [edited]);

  function save(): void {
    if (edited.trim() !== "") onSave(edited.trim());
  }

  return (
    <form
      class="question editor"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault();
          onCancel();
        } else if (isSendKey(event) && event.target === field.current) {
          event.preventDefault();
          save();
        }
      }}
    >
      <textarea
        ref={field}
        dir="auto"
        aria-label={strings.editQuestion}
        maxLength={MAX_QUERY_LENGTH}
        value={edited}
        onInput={({ currentTarget }) => setEdited(currentTarget.value)}
      />
      <div class="form-actions">
        <button type="button" onClick={onCancel}>
          {strings.cancel}
        </button>
        <button type="submit" class="primary" disabled={edited.trim() === ""}>
          {strings.askAgain}
        </button>
      </div>
    </form>
  );
}
