import { randomUUID } from "node:crypto";
import type { AnswerEvent, AnswerMode, AnswerRun, Citation, Metadata } from "../../index.js";
import { MarkedText } from "./marked-text.js";
import { suggestQuestions } from "./suggest-questions.js";
import type { UiMessageChunk, WireCitation, WirePassage } from "./ui-message-chunk.js";
import { type PassageView, titleOf, toWirePassage } from "./wire-passage.js";

export interface AnswerChunksOptions extends PassageView {
  readonly question: string;
  readonly mode: AnswerMode;
  /** A question about `{subject}`, for suggestions. @default "What about {subject}?" */
  readonly suggestion?: string;
}

const TEXT_ID = "text";

/** Converts an answer to the chunks of a UI message. Fails as the answer does. */
export async function* answerChunks(run: AnswerRun, options: AnswerChunksOptions): AsyncGenerator<UiMessageChunk> {
  const message = new AnswerMessage(options);
  yield { type: "start", messageId: `msg_${randomUUID()}`, messageMetadata: { mode: options.mode } };
  for await (const event of run) yield* message.chunksOf(event);
  yield* message.end();
  const { mode, isAnswered, citations, usage } = await run;
  const questions = isAnswered ? suggestQuestions({ ...options, citations, passages: message.passages }) : [];
  if (questions.length > 0) yield { type: "data-suggestions", data: { questions } };
  yield { type: "finish", messageMetadata: { mode, isAnswered, ...(usage ? { usage } : {}) } };
}

class AnswerMessage {
  readonly #options: AnswerChunksOptions;
  readonly #text = new MarkedText();
  /** All passages so far, by chunk id. */
  readonly #passages = new Map<string, WirePassage>();
  readonly #fileNames = new Map<string, string>();
  /** The chunks that the client already has a source for. */
  readonly #announcedChunkIds = new Set<string>();
  #citationCount = 0;
  #hasText = false;

  constructor(options: AnswerChunksOptions) {
    this.#options = options;
  }

  get passages(): readonly WirePassage[] {
    return [...this.#passages.values()];
  }

  async *chunksOf(event: AnswerEvent): AsyncGenerator<UiMessageChunk> {
    if (event.type === "search") yield { type: "data-search", data: { query: event.query }, transient: true };
    if (event.type === "passages")
      yield { type: "data-passages", data: { passages: await this.#keep(event.passages) } };
    if (event.type === "text") yield* this.#delta(this.#text.add(event.text));
    if (event.type === "citation") yield* this.#cite(event.citation);
  }

  *end(): Generator<UiMessageChunk> {
    yield* this.#delta(this.#text.end());
    if (this.#hasText) yield { type: "text-end", id: TEXT_ID };
  }

  async #keep(hits: Extract<AnswerEvent, { type: "passages" }>["passages"]): Promise<readonly WirePassage[]> {
    const passages = await Promise.all(hits.map((hit) => toWirePassage(hit, this.#options)));
    for (const [index, passage] of passages.entries()) {
      this.#passages.set(passage.chunkId, passage);
      const { filename }: Metadata = hits[index]!.metadata ?? {};
      if (typeof filename === "string") this.#fileNames.set(passage.documentId, filename);
    }
    return passages;
  }

  async *#cite(citation: Citation): AsyncGenerator<UiMessageChunk> {
    const { number, chunkId, documentId, headings, page, boxes, cells, quote, range, sha256 } = citation;
    const title = this.#passages.get(chunkId)?.title ?? titleOf({}, null);
    if (!this.#announcedChunkIds.has(chunkId)) yield await this.#source(citation, title);
    const { delta, ...ranges } = this.#text.cite(number, citation.answerRange);
    yield* this.#delta(delta);
    const data: WireCitation = {
      ...{ number, chunkId, documentId, title, headings, quote, range, sha256, ...ranges },
      ...(page === undefined ? {} : { page }),
      ...(boxes === undefined ? {} : { boxes }),
      ...(cells === undefined ? {} : { cells }),
    };
    this.#citationCount++;
    yield { type: "data-citation", id: `citation-${this.#citationCount}`, data };
  }

  async #source({ chunkId, documentId, page, number }: Citation, title: string): Promise<UiMessageChunk> {
    this.#announcedChunkIds.add(chunkId);
    const filename = this.#fileNames.get(documentId);
    return {
      type: "source-document",
      sourceId: chunkId,
      mediaType: await this.#options.mediaTypeOf(documentId),
      title,
      ...(filename === undefined ? {} : { filename }),
      providerMetadata: { lorebase: { documentId, ...(page === undefined ? {} : { page }), number } },
    };
  }

  *#delta(delta: string): Generator<UiMessageChunk> {
    if (delta === "") return;
    if (!this.#hasText) yield { type: "text-start", id: TEXT_ID };
    this.#hasText = true;
    yield { type: "text-delta", id: TEXT_ID, delta };
  }
}
