import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { post } from "./api.js";
import { CopyButton } from "./copy-button.js";
import { IconButton } from "./icon-button.js";
import { RetryIcon, ThumbDownIcon, ThumbUpIcon } from "./icons.js";
import { type AssistantMessage, plainText } from "./message.js";
import { RequestError } from "./request-error.js";
import { placeText, type Source } from "./sources.js";
import { strings } from "./strings.js";

interface AnswerActionsProps {
  readonly message: AssistantMessage;
  readonly question: string;
  readonly sources: readonly Source[];
  readonly isLast: boolean;
  readonly onRegenerate: () => void;
  readonly announce: (text: string) => void;
}

type Rating = "up" | "down";

const MAX_COMMENT_LENGTH = 2000;

/** What can be done with a complete answer. */
export function AnswerActions(props: AnswerActionsProps): VNode {
  const { message, question, sources, isLast, onRegenerate, announce } = props;
  const [rating, setRating] = useState<Rating | null>(null);
  const [isCommenting, setIsCommenting] = useState(false);
  const [problem, setProblem] = useState("");

  async function send(chosen: Rating, comment: string): Promise<void> {
    const answer = plainText(message);
    const chunkIds = sources.map(({ chunkId }) => chunkId);
    try {
      await post("/feedback", { question, answer, rating: chosen, ...(comment && { comment }), chunkIds });
    } catch (error) {
      setProblem(error instanceof RequestError ? error.message : strings.feedbackFailed);
      return;
    }
    setProblem("");
    setRating(chosen);
    setIsCommenting(false);
    announce(strings.feedbackSent);
  }

  return (
    <>
      <div class="actions">
        <CopyButton label={strings.copyAnswer} text={() => copiedText(message, sources)} />
        {isLast && <IconButton label={strings.answerAgain} icon={<RetryIcon />} onClick={onRegenerate} />}
        {rating !== "down" && (
          <IconButton
            label={strings.goodAnswer}
            icon={<ThumbUpIcon />}
            isPressed={rating === "up"}
            onClick={() => rating === null && void send("up", "")}
          />
        )}
        {rating !== "up" && (
          <IconButton
            label={strings.badAnswer}
            icon={<ThumbDownIcon />}
            isPressed={rating === "down"}
            onClick={() => rating === null && setIsCommenting(!isCommenting)}
          />
        )}
        {rating && <span class="state">{strings.thanks}</span>}
      </div>
      {isCommenting && (
        <CommentForm onSend={(comment) => send("down", comment)} onCancel={() => setIsCommenting(false)} />
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

interface CommentFormProps {
  readonly onSend: (comment: string) => Promise<void>;
  readonly onCancel: () => void;
}

function CommentForm({ onSend, onCancel }: CommentFormProps): VNode {
  const [comment, setComment] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    // It opens below the answer, where the field for questions covers it.
    form.current!.scrollIntoView({ block: "center" });
    form.current!.querySelector("textarea")!.focus({ preventScroll: true });
  }, []);
  return (
    <form
      ref={form}
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        void onSend(comment.trim());
      }}
    >
      <label>
        {strings.whatIsWrong}
        <textarea
          rows={2}
          dir="auto"
          maxLength={MAX_COMMENT_LENGTH}
          value={comment}
          onInput={({ currentTarget }) => setComment(currentTarget.value)}
        />
      </label>
      <div class="form-actions">
        <button type="button" onClick={onCancel}>
          {strings.cancel}
        </button>
        <button type="submit" class="primary">
          {strings.sendFeedback}
        </button>
      </div>
    </form>
  );
}

/** The answer with its markers, and the sources that they number. */
function copiedText({ text }: AssistantMessage, sources: readonly Source[]): string {
  const lines = sources.map((source) => {
    const place = placeText(source);
    return `[${source.number}] ${source.title}${place && `, ${place}`}`;
  });
  return [text.trim(), ...(lines.length > 0 ? ["", ...lines] : [])].join("\n");
}
