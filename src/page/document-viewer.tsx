import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PageDocument } from "../http/page/page-data.js";
import { slice } from "../http/ranged-text.js";
import type { WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import type { TextRange } from "../types.js";
import { fileUrl, RequestError, readDocument } from "./api.js";
import { DocumentIcon } from "./icons.js";
import { Modal } from "./modal.js";
import { PassageText } from "./passage-text.js";
import type { Source } from "./sources.js";

/** A place in a document. */
export interface DocumentPlace {
  readonly documentId: string;
  readonly title: string;
  /** In the document's text. */
  readonly range: TextRange;
}

export function placeOfPassage({ documentId, title, range }: WirePassage): DocumentPlace {
  return { documentId, title, range };
}

/** From the first quote of the given citations to its end. */
export function placeOfSource({ documentId, title }: Source, citations: readonly WireCitation[]): DocumentPlace {
  return { documentId, title, range: citations[0]!.range };
}

interface DocumentViewerProps {
  readonly place: DocumentPlace;
  readonly onClose: () => void;
}

/** The text of a document, opened at a place, and a link to the page of its PDF. */
export function DocumentViewer({ place, onClose }: DocumentViewerProps): VNode {
  const { documentId, range } = place;
  const [view, setView] = useState<TextRange>(range);
  const [document, setDocument] = useState<PageDocument | null>(null);
  const [problem, setProblem] = useState("");
  const body = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const controller = new AbortController();
    readDocument(documentId, view, controller.signal).then(setDocument, (error: unknown) => {
      if (controller.signal.aborted) return;
      setProblem(error instanceof RequestError ? error.message : "The document can't be shown.");
    });
    return () => controller.abort();
  }, [documentId, view]);
  useLayoutEffect(() => {
    if (!document) return;
    const mark = body.current!.querySelector("mark");
    if (mark) mark.scrollIntoView({ block: "center" });
    else body.current!.scrollTop = 0;
  }, [document]);

  const [before, after] = document ? [document.start, document.total - document.start - document.text.length] : [0, 0];
  return (
    <Modal
      class="document-viewer"
      title={document?.title ?? place.title}
      onClose={onClose}
      actions={
        document?.hasFile && (
          <a class="button" href={fileUrl(documentId, document.page)} target="_blank" rel="noopener noreferrer">
            <DocumentIcon /> {document.page ? `PDF, page ${document.page}` : "PDF"}
          </a>
        )
      }
    >
      <div class="document-body" ref={body} tabIndex={0} role="region" aria-label="Text">
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {!document && !problem && <p class="progress">Loading</p>}
        {before > 0 && (
          <button type="button" class="more" onClick={() => setView({ start: before - 1, end: before })}>
            Show earlier text
          </button>
        )}
        {document && (
          <div class="document-text">
            <PassageText
              {...slice({ text: document.text, ranges: [moved(range, -document.start)] }, 0, document.text.length)}
            />
          </div>
        )}
        {after > 0 && (
          <button
            type="button"
            class="more"
            onClick={() => setView({ start: document!.total - after, end: document!.total - after + 1 })}
          >
            Show later text
          </button>
        )}
      </div>
    </Modal>
  );
}

function moved({ start, end }: TextRange, by: number): TextRange {
  return { start: start + by, end: end + by };
}
