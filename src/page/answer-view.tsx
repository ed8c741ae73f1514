import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { AnswerActions } from "./answer-actions.js";
import { useCitationCard } from "./citation-card.js";
import { type DocumentPlace, placeOfPassage } from "./document-place.js";
import { Examples } from "./examples.js";
import { FilledText } from "./filled-text.js";
import { RetryIcon } from "./icons.js";
import { placeMarkers, renderMarkdown, showMarkers, withoutMarkers } from "./markdown.js";
import { type AssistantMessage, isOpen } from "./message.js";
import { PassageList } from "./passage-list.js";
import { completeTables, findHeadIn } from "./quoted-rows.js";
import { SourceList } from "./source-list.js";
import { groupByMarker, toSources } from "./sources.js";
import { strings, withCount } from "./strings.js";

interface AnswerViewProps {
  readonly message: AssistantMessage;
  readonly question: string;
  readonly isLast: boolean;
  readonly onAsk: (question: string) => void;
  readonly onOpen: (place: DocumentPlace) => void;
  readonly onRegenerate: () => void;
  readonly announce: (text: string) => void;
}

/** An answer, from its first search to its last suggestion. */
export function AnswerView(props: AnswerViewProps): VNode {
  const { message, question, isLast, onAsk, onOpen, onRegenerate } = props;
  const { text, state, citations, passages, suggestions, error } = message;
  const sources = useMemo(() => toSources(citations, passages), [citations, passages]);
  const groups = useMemo(() => groupByMarker(citations), [citations]);
  const { card, markerFor } = useCitationCard(onOpen);

  const content = useMemo(() => {
    const placed = placeMarkers(
      text,
      groups.map(({ range }) => range),
    );
    const marker = (index: number) => {
      const group = groups[index];
      const source = group && sources.find(({ number }) => number === group.number);
      return source ? markerFor(source, group.citations) : null;
    };
    return renderMarkdown(
      { text: completeTables(placed, (row) => findHeadIn(passages, withoutMarkers(row))), ranges: [] },
      { heading: "h2", text: (part, isCode) => showMarkers(part.text, isCode ? () => null : marker) },
    );
  }, [text, groups, sources, passages, markerFor]);

  return (
    <article class="answer" aria-label={strings.answer} aria-busy={isOpen(message)}>
      <Progress message={message} />
      {text !== "" && (
        <div class="prose" dir="auto">
          {content}
        </div>
      )}
      {card}
      {state === "stopped" && <p class="state">{strings.stopped}</p>}
      {error && (
        <p class="problem" role="alert">
          {error.message}
        </p>
      )}
      {isLast && (state === "stopped" || (error?.canRetry ?? false)) && (
        <button type="button" class="retry" onClick={onRegenerate}>
          <RetryIcon /> {strings.tryAgain}
        </button>
      )}
      {isLast && error?.needsSignIn && (
        <button type="button" class="retry" onClick={() => location.reload()}>
          {strings.signInAgain}
        </button>
      )}
      {sources.length > 0 && !isOpen(message) && <SourceList sources={sources} onOpen={onOpen} />}
      {state === "done" && !message.isAnswered && passages.length > 0 && (
        <details class="closest" open={sources.length === 0}>
          <summary>{strings.closestPassages}</summary>
          <PassageList
            label={strings.closestPassages}
            passages={passages.slice(0, MAX_CLOSEST)}
            onOpen={(passage) => onOpen(placeOfPassage(passage))}
          />
        </details>
      )}
      {state === "done" && <AnswerActions {...props} question={question} sources={sources} />}
      {isLast && <Examples label={strings.relatedQuestions} texts={suggestions} onSelect={onAsk} />}
    </article>
  );
}

const MAX_CLOSEST = 3;

/** What is being done until the answer begins. */
function Progress({ message: { state, query, passages } }: { readonly message: AssistantMessage }): VNode | null {
  if (state === "searching")
    return (
      <p class="progress">
        {query === "" ? strings.searching : <FilledText text={strings.searchingFor} values={{ query }} />}
      </p>
    );
  if (state === "reading") return <p class="progress">{withCount(strings.reading, passages.length)}</p>;
  return null;
}
