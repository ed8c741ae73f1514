import type { VNode } from "preact";
import { labelResults } from "../http/page/result-labels.js";
import { bodyOf, isPlainText, slice } from "../http/ranged-text.js";
import type { WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import { HighlightedText } from "./highlighted-text.js";
import { plainClass } from "./plain-class.js";
import { locale, strings } from "./strings.js";

interface PassageListProps {
  readonly label: string;
  readonly passages: readonly WirePassage[];
  readonly onOpen: (passage: WirePassage) => void;
}

/** Passages as results, each of which opens its document. */
export function PassageList({ label, passages, onOpen }: PassageListProps): VNode {
  const labels = labelResults(passages, { locale, strings });
  return (
    <ol class="passages" aria-label={label}>
      {passages.map((passage, index) => (
        <li key={passage.chunkId}>
          <button type="button" class="passage-button" onClick={() => onOpen(passage)}>
            <span class="source-title" dir="auto">
              {labels[index]!.title}
            </span>
            <span class="place" dir="auto">
              {labels[index]!.place}
            </span>
            <Excerpt passage={passage} />
            <MetadataList metadata={passage.metadata} />
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Characters before the first highlight, so that it is in the lines that are shown. */
const LEAD = 90;

/** The passage's text from shortly before its first highlight, and at most a line before it. */
function Excerpt({ passage }: { readonly passage: WirePassage }): VNode {
  const { text, highlights, mediaType, title } = passage;
  const content = bodyOf({ text, ranges: highlights }, mediaType);
  const first = content.ranges[0]?.start ?? 0;
  const lineBefore = content.text.lastIndexOf("\n", content.text.lastIndexOf("\n", first - 1) - 1) + 1;
  const from = Math.max(lineBefore, first > LEAD ? content.text.lastIndexOf(" ", first - LEAD) + 1 : 0);
  return (
    <span class={`excerpt ${isPlainText(mediaType) ? plainClass(title) : ""}`} dir="auto">
      {from > 0 && "… "}
      <HighlightedText {...slice(content, from, content.text.length)} />
    </span>
  );
}

function MetadataList({ metadata }: Pick<WirePassage, "metadata">): VNode | null {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <span class="metadata">
      {entries.map(([key, value]) => (
        <span key={key} dir="auto">
          {key}: {Array.isArray(value) ? value.join(", ") : String(value)}
        </span>
      ))}
    </span>
  );
}
