import type { VNode } from "preact";
import { type DocumentPlace, placeOfSource } from "./document-place.js";
import { placeText, type Source } from "./sources.js";
import { strings } from "./strings.js";

interface SourceListProps {
  readonly sources: readonly Source[];
  readonly onOpen: (place: DocumentPlace) => void;
}

/** The passages that an answer cites. */
export function SourceList({ sources, onOpen }: SourceListProps): VNode {
  return (
    <ol class="sources" aria-label={strings.sources}>
      {sources.map((source) => (
        <li key={source.number}>
          <button type="button" onClick={() => onOpen(placeOfSource(source, source.citations))}>
            <span class="number">{source.number}</span>
            <span class="source-title" dir="auto">
              {source.title}
            </span>
            <span class="place" dir="auto">
              {placeText(source)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
