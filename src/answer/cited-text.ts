import type { TextEmbedder } from "../engine/engine.js";
import type { CallOptions, TextRange } from "../types.js";
import type { AnswerEvent, Citation } from "./answer.js";
import { CitationMarkerParser } from "./citation-markers.js";
import { claimAfter, claimBefore } from "./cited-claim.js";
import { citeForClaim, type ShownPassages } from "./shown-passages.js";

export type CitedTextEvent = Extract<AnswerEvent<never>, { readonly type: "text" | "citation" }>;

/** Matches what may be between two markers of the same claim, as in "… [1]. [2]". */
const SAME_CLAIM_PATTERN = /^(?:[^\S\n]|\p{P})*$/u;
/** Matches the same before a marker at the end of a line, which may also follow the end of a table row. */
const SAME_ROW_PATTERN = /^(?:[^\S\n]|\p{P}|\|)*$/u;

/**
 * Replaces the markers in a language model's streamed text with citations of shown passages, and drops all other
 * markers. Passages get new numbers, from 1, in the order in which they are first cited.
 */
export class CitedText {
  readonly #shown: ShownPassages<unknown>;
  readonly #embedder: TextEmbedder;
  readonly #call: CallOptions;
  readonly #markers = new CitationMarkerParser();
  /** The citation numbers of the cited passages, by the number under which the model was shown the passage. */
  readonly #numbers = new Map<number, number>();
  readonly #citations: Citation[] = [];
  #text = "";
  /** White space at the start of the text, held back until other text follows. */
  #heldSpace = "";
  /** The last cited claim. */
  #claim: TextRange = { start: 0, end: 0 };
  /** Where the markers at the start of the current line are, and what they cite. They support the text after them. */
  #leadingMarkers: { readonly start: number; readonly passages: readonly number[] } | null = null;

  constructor(shown: ShownPassages<unknown>, embedder: TextEmbedder, call: CallOptions) {
    this.#shown = shown;
    this.#embedder = embedder;
    this.#call = call;
  }

  get text(): string {
    return this.#text;
  }

  get citations(): readonly Citation[] {
    return this.#citations;
  }

  async *push(chunk: string): AsyncGenerator<CitedTextEvent, void> {
    for (const part of this.#markers.push(chunk)) yield* this.#read(part);
  }

  async *end(): AsyncGenerator<CitedTextEvent, void> {
    for (const part of this.#markers.end()) yield* this.#read(part);
    yield* this.#citeLeadingMarkers();
  }

  async *#read(part: ReturnType<CitationMarkerParser["push"]>[number]): AsyncGenerator<CitedTextEvent, void> {
    if (part.type === "marker") {
      // A marker that names no shown passage ends a claim too: the next marker doesn't support the text before it.
      yield* this.#cite(part.numbers.filter((number) => this.#shown.get(number)));
      return;
    }
    // The citation of a line is yielded before the text after that line.
    const lineEnd = this.#leadingMarkers ? part.text.indexOf("\n") : -1;
    if (lineEnd < 0) {
      yield* this.#write(part.text);
      return;
    }
    yield* this.#write(part.text.slice(0, lineEnd));
    yield* this.#citeLeadingMarkers();
    yield* this.#write(part.text.slice(lineEnd));
  }

  *#write(added: string): Generator<CitedTextEvent, void> {
    this.#text += added;
    const text = this.#heldSpace + added;
    const isHeld = text.trim() === "" && text.length === this.#text.length;
    this.#heldSpace = isHeld ? text : "";
    if (!isHeld && text !== "") yield { type: "text", text };
  }

  async *#cite(passages: readonly number[]): AsyncGenerator<CitedTextEvent, void> {
    const claim = this.#claimAt(this.#text);
    if (isEmpty(claim)) {
      // In a table row, a marker at the start of a cell ends the claim of a marker in the previous cell.
      if (this.#leadingMarkers && !isEmpty(claimAfter(this.#text, this.#leadingMarkers.start)))
        yield* this.#citeLeadingMarkers();
      const start = this.#leadingMarkers?.start ?? this.#text.length;
      this.#leadingMarkers = { start, passages: [...(this.#leadingMarkers?.passages ?? []), ...passages] };
      return;
    }
    yield* this.#citeLeadingMarkers();
    yield* this.#citeClaim(claim, passages);
  }

  async *#citeLeadingMarkers(): AsyncGenerator<CitedTextEvent, void> {
    if (!this.#leadingMarkers) return;
    const { start, passages } = this.#leadingMarkers;
    this.#leadingMarkers = null;
    const next = claimAfter(this.#text, start);
    // Markers alone on their line support the text before them.
    const claim = isEmpty(next) ? this.#claimAt(this.#text.slice(0, start).trimEnd(), true) : next;
    if (!isEmpty(claim)) yield* this.#citeClaim(claim, passages);
  }

  /** Returns the claim at the end of a text, which may have been cited already. */
  #claimAt(text: string, isLineEnd = false): TextRange {
    const isCited = (isLineEnd ? SAME_ROW_PATTERN : SAME_CLAIM_PATTERN).test(text.slice(this.#claim.end));
    return isCited ? this.#claim : claimBefore(text, { previousEnd: this.#claim.end, isLineEnd });
  }

  async *#citeClaim(claim: TextRange, passages: readonly number[]): AsyncGenerator<CitedTextEvent, void> {
    this.#claim = claim;
    const text = this.#text.slice(claim.start, claim.end);
    const cited = this.#citations.filter(({ answerRange }) => answerRange === claim).map(({ number }) => number);
    for (const passage of new Set(passages)) {
      if (cited.includes(this.#numbers.get(passage) ?? 0)) continue;
      const quoted = await citeForClaim(text, this.#shown.get(passage)!, this.#embedder, this.#call);
      const number = this.#numbers.get(passage) ?? this.#numbers.size + 1;
      this.#numbers.set(passage, number);
      const citation = { number, answerRange: claim, ...quoted };
      this.#citations.push(citation);
      yield { type: "citation", citation };
    }
  }
}

function isEmpty({ start, end }: TextRange): boolean {
  return start === end;
}
