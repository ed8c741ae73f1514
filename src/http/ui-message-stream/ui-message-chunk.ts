import type { CallUsage } from "../../interfaces/hosted.js";
import type { AnswerMode, Metadata, PageBox, SheetRange, TextRange } from "../../types.js";

/** A passage in the form in which clients get it. */
export interface WirePassage {
  /** `<documentId>#<sequence number>`. */
  readonly chunkId: string;
  readonly documentId: string;
  readonly title: string;
  /** The media type of the passage's document. */
  readonly mediaType: string;
  readonly headings: readonly string[];
  /** The page on which the passage starts, from 1; absent if the format has no pages. */
  readonly page?: number;
  /** Plain text if the media type is `text/plain`, else Markdown. */
  readonly text: string;
  /** The passage's range in the document's text. */
  readonly range: TextRange;
  /** The ranges of the query's words in `text`, in order and without overlaps. */
  readonly highlights: readonly TextRange[];
  /** The metadata that the receiver may see. */
  readonly metadata: Metadata;
}

/** A citation in the form in which clients get it. */
export interface WireCitation {
  /** The number in the citation's marker, from 1. */
  readonly number: number;
  readonly chunkId: string;
  readonly documentId: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly page?: number;
  readonly boxes?: readonly PageBox[];
  readonly cells?: readonly SheetRange[];
  readonly quote: string;
  /** The range of the quote in the document's text. */
  readonly range: TextRange;
  /** SHA-256 of the quote in UTF-8, in hex. */
  readonly sha256: string;
  /** The range of the message's text that the citation supports. */
  readonly answerRange: TextRange;
  /** The range of the citation's marker `[n]` in the message's text. */
  readonly markerRange: TextRange;
}

/** A chunk of the AI SDK's UI message stream, of one of the types that answers use. */
export type UiMessageChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: { readonly mode: AnswerMode } }
  | { readonly type: "data-search"; readonly data: { readonly query: string }; readonly transient: true }
  | { readonly type: "data-passages"; readonly data: { readonly passages: readonly WirePassage[] } }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
      readonly providerMetadata: {
        readonly lorebase: { readonly documentId: string; readonly page?: number; readonly number: number };
      };
    }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string }
  | { readonly type: "data-citation"; readonly id: string; readonly data: WireCitation }
  | { readonly type: "data-suggestions"; readonly data: { readonly questions: readonly string[] } }
  | {
      readonly type: "finish";
      readonly messageMetadata: {
        readonly mode: AnswerMode;
        readonly isAnswered: boolean;
        readonly usage?: CallUsage;
      };
    }
  | { readonly type: "error"; readonly errorText: string };
