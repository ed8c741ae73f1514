import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PageDocument } from "../http/page/page-data.js";
import { mergeRanges, moved, slice } from "../http/ranged-text.js";
import type { TextRange } from "../types.js";
import { fileUrl, readDocument } from "./api.js";
import type { DocumentPlace } from "./document-place.js";
import { DocumentIcon } from "./icons.js";
import { Modal } from "./modal.js";
import { PassageText } from "./passage-text.js";
import { RequestError } from "./request-error.js";
import { strings, withNumber } from "./strings.js";

interface DocumentViewerProps {
  readonly place: DocumentPlace;
  /** Called with the title of the document once it is read. */
  readonly onTitle: (title: string) => void;
  readonly onClose: () => void;
}

/** The text of a document, opened at a place, and a link to the page of its PDF. */
export function DocumentViewer({ place, onTitle, onClose }: DocumentViewerProps): VNode {
  const { document, problem, body, read } = useDocument(place);
  useEffect(() => {
    if (document && document.title !== place.title) onTitle(document.title);
  }, [document]);
  // Not rendered again with the page behind it, as while an answer is written there.
  const text = useMemo(
    () =>
      document && (
        <div class={isLong(place.range) ? "document-text passage-range" : "document-text"}>
          <PassageText content={document} mediaType={document.mediaType} title={document.title} heading="h3" />
        </div>
      ),
    [document],
  );
  return (
    <Modal
      class="document-viewer"
      title={place.title || document?.title || strings.document}
      onClose={onClose}
      actions={
        document?.hasFile && (
          <a class="button" href={fileUrl(place.documentId, document.page)} target="_blank" rel="noopener noreferrer">
            <DocumentIcon /> {document.page ? withNumber(strings.pdfPage, document.page) : strings.pdf}
          </a>
        )
      }
    >
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="document-body" ref={body} tabIndex={0} role="region" aria-label={strings.text}>
        {!document && !problem && <p class="progress">{strings.loading}</p>}
        {document && document.start > 0 && (
          <button type="button" class="more" onClick={() => read({ before: document.start })}>
            {strings.earlierText}
          </button>
        )}
        {text}
        {document && document.end < document.total && (
          <button type="button" class="more" onClick={() => read({ after: document.end })}>
            {strings.laterText}
          </button>
        )}
      </div>
    </Modal>
  );
}

/** Whether it is a passage rather than a sentence. */
function isLong({ start, end }: TextRange): boolean {
  return end - start > 300;
}

/** Which part of the document to read: around its range, if it is empty. */
type Part = Parameters<typeof readDocument>[1];

/** Reads a document around a place, which is brought into view, and more of it without moving what is in view. */
function useDocument({ documentId, range }: DocumentPlace) {
  const [part, setPart] = useState<Part>({});
  const [document, setDocument] = useState<PageDocument | null>(null);
  const [problem, setProblem] = useState("");
  const body = useRef<HTMLDivElement>(null);
  /** What was shown before `document`. */
  const before = useRef<{ readonly start: number; readonly bottom: number } | null>(null);

  useEffect(() => {
    const controller = new AbortController();
    readDocument({ documentId, range }, part, controller.signal).then(
      (read) => {
        setProblem("");
        if (document) before.current = { start: document.start, bottom: bottomOf(body.current!) };
        setDocument(document ? join(document, read) : read);
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setProblem(error instanceof RequestError ? error.message : strings.documentFailed);
      },
    );
    return () => controller.abort();
  }, [part]);
  useLayoutEffect(() => {
    const { current } = body;
    if (!document || !current) return;
    if (!before.current) current.querySelector("mark")?.scrollIntoView({ block: "center" });
    else if (document.start < before.current.start) current.scrollTop += bottomOf(current) - before.current.bottom;
  }, [document]);

  const read = (more: Part) => {
    setPart(more);
    // Not the button, which goes away with the rest of the text.
    body.current!.focus({ preventScroll: true });
  };
  return { document, problem, body, read };
}

/** Where the text in view ends, whose end stays where it is when text is added before it. */
function bottomOf(body: HTMLElement): number {
  return body.querySelector(".document-text")!.getBoundingClientRect().bottom;
}

/** Adds the text before or after what is shown. */
function join(shown: PageDocument, more: PageDocument): PageDocument {
  const { start, end } = shown;
  const { length } = shown.text;
  const isBefore = more.start < start;
  const kept = isBefore ? slice(shown, more.repeated, length) : slice(shown, 0, length - more.repeated);
  const [first, second] = isBefore ? [more, kept] : [kept, more];
  const ranges = [...first.ranges, ...second.ranges.map((range) => moved(range, first.text.length))];
  const window = isBefore ? { start: more.start, end } : { start, end: more.end };
  return { ...shown, ...window, text: first.text + second.text, ranges: mergeRanges(ranges) };
}
