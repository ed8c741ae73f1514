import { createHash } from "node:crypto";
import type { Answer, AnswerEvent, Citation } from "lorebase";
import type { UiMessageChunk, WireCitation } from "../../src/http/ui-message-stream/ui-message-chunk.js";
import { readMarkers } from "./marker-reference.js";
import type { ModelOutput } from "./model-outputs.js";

/** What an answer was made from. */
export interface AnswerSources {
  readonly output: ModelOutput;
  /** The passages in the prompts, by their numbers. */
  readonly shown: ReadonlyMap<number, ShownPassage>;
  /** The stored texts by the documents' ids. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ShownPassage {
  readonly chunkId: string;
  /** Its beginning if it was too long for the prompt. */
  readonly text: string;
}

const NO_ANSWER = "No answer was found in the documents.";

/** What is wrong with an answer of `ask`. */
export function answerFaults(answer: Answer, { output, shown, texts }: AnswerSources): readonly string[] {
  const faults: string[] = [];
  const expect = (isRight: boolean, fault: string) => isRight || faults.push(fault);
  const { text, numbers } = readMarkers(output.source);
  const written = text.trim() === "" ? NO_ANSWER : text;
  expect(answer.text === written, `the text is ${JSON.stringify(answer.text)}, not ${JSON.stringify(written)}`);
  expect(answer.isAnswered === answer.citations.length > 0, "isAnswered doesn't fit the citations");
  const named = new Map(numbers.flatMap((number) => shown.get(number) ?? []).map((each) => [each.chunkId, each.text]));
  const hits = new Map(answer.passages.map((hit) => [hit.id, hit]));
  let [lastEnd, lastNumber] = [0, 0];
  for (const citation of answer.citations) {
    const { chunkId, documentId, number, quote, range, sha256, answerRange } = citation;
    const at = `citation ${number}`;
    expect(named.has(chunkId), `${at} is of a passage that no marker names or that wasn't shown`);
    const { start, end } = hits.get(chunkId)?.range ?? { start: 0, end: 0 };
    expect(range.start >= start && range.end <= end && range.end > range.start, `${at} isn't in its passage`);
    expect(named.get(chunkId)?.includes(quote) ?? true, `${at} quotes what wasn't shown: ${JSON.stringify(quote)}`);
    expect(chunkId.startsWith(`${documentId}#`), `${at} is of another document than its passage`);
    expect(texts.get(documentId)?.slice(range.start, range.end) === quote, `${at} isn't what the document has`);
    expect(
      quote.trim() !== "" && quote.isWellFormed(),
      `${at} has half a character, or none: ${JSON.stringify(quote)}`,
    );
    expect(sha256 === sha256Of(quote), `${at} has the hash of another quote`);
    const claim = answer.text.slice(answerRange.start, answerRange.end);
    const isInText = answerRange.start >= 0 && answerRange.end <= answer.text.length;
    expect(isInText && claim.trim() === claim && claim !== "", `${at} supports ${JSON.stringify(claim)}`);
    expect(answerRange.end >= lastEnd, `${at} is not in the order of the text`);
    expect(number >= 1 && number <= lastNumber + 1, `${at} comes after ${lastNumber}`);
    [lastEnd, lastNumber] = [answerRange.end, Math.max(lastNumber, number)];
  }
  const byNumber = new Map(answer.citations.map(({ number, chunkId }) => [number, chunkId]));
  for (const { number, chunkId } of answer.citations)
    expect(byNumber.get(number) === chunkId, `${number} is the number of two passages`);
  expect(new Set(byNumber.values()).size === byNumber.size, "a passage has two numbers");
  if (output.expected) faults.push(...expectedFaults(answer, output.expected, shown));
  return faults;
}

/** Compares with what the parts of the output say. */
function expectedFaults(
  answer: Answer,
  { text, claims }: NonNullable<ModelOutput["expected"]>,
  shown: AnswerSources["shown"],
): readonly string[] {
  const wanted = claims.flatMap(({ start, end, numbers }) => {
    const chunks = numbers.flatMap((number) => shown.get(number)?.chunkId ?? []);
    return [...new Set(chunks)].map((chunkId) => `${start}-${end} ${chunkId}`);
  });
  const had = answer.citations.map(({ answerRange, chunkId }) => `${answerRange.start}-${answerRange.end} ${chunkId}`);
  return [
    ...(text.trim() === "" || answer.text === text
      ? []
      : [`the text isn't that of its parts: ${JSON.stringify(text)}`]),
    ...(had.join() === wanted.join() ? [] : [`the citations are ${had.join()}, not ${wanted.join()}`]),
  ];
}

/** What is wrong with the events of an answer. */
export function eventFaults(events: readonly AnswerEvent[], answer: Answer): readonly string[] {
  const faults: string[] = [];
  const shown = new Set<string>();
  const citations: Citation[] = [];
  let text = "";
  for (const event of events) {
    if (event.type === "passages") for (const { id } of event.passages) shown.add(id);
    if (event.type === "text") text += event.text;
    if (event.type !== "citation") continue;
    const { chunkId, answerRange } = event.citation;
    citations.push(event.citation);
    if (!shown.has(chunkId)) faults.push(`the event of ${chunkId} comes before its passage`);
    if (answerRange.end > text.length) faults.push("a citation comes before the text that it supports");
  }
  if (text !== answer.text) faults.push(`the texts of the events are ${JSON.stringify(text)}`);
  if (JSON.stringify(citations) !== JSON.stringify(answer.citations)) faults.push("the events have other citations");
  return faults;
}

/** What is wrong with an answer's UI message. */
export function messageFaults(chunks: readonly UiMessageChunk[], answer: Answer): readonly string[] {
  const faults: string[] = [];
  const message = chunks.map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join("");
  const citations = chunks.flatMap((chunk) => (chunk.type === "data-citation" ? [chunk.data] : []));
  const inserted = insertedRanges(message, citations);
  const without = (end: number) => inserted.reduce((at, range) => at - lengthBefore(range, end), end);
  const kept = inserted.toReversed().reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), message);
  if (kept !== answer.text.trimEnd()) faults.push(`the message without markers is ${JSON.stringify(kept)}`);
  if (citations.length !== answer.citations.length) faults.push(`the message has ${citations.length} citations`);
  const sources = new Set<string>();
  for (const chunk of chunks) {
    if (chunk.type === "source-document") sources.add(chunk.sourceId);
    if (chunk.type === "data-citation" && !sources.has(chunk.data.chunkId)) faults.push("a citation has no source");
    if (chunk.type === "error") faults.push(`the stream ends with ${chunk.errorText}`);
  }
  for (const [index, citation] of citations.entries()) {
    const { answerRange: claim, markerRange, title: _, ...rest } = citation;
    // Visitors see a title instead of the document's name and address.
    const { answerRange, documentName: _name, url: _url, ...own } = answer.citations[index]!;
    const marker = message.slice(markerRange.start, markerRange.end);
    if (marker !== `[${own.number}]`) faults.push(`the marker of ${own.number} is ${JSON.stringify(marker)}`);
    if (markerRange.start < claim.end) faults.push(`the marker of ${own.number} comes before what it supports`);
    if (without(claim.start) !== answerRange.start || without(claim.end) !== answerRange.end)
      faults.push(`citation ${own.number} supports ${JSON.stringify(message.slice(claim.start, claim.end))}`);
    if (!Object.entries(own).every(([name, value]) => isSame(value, rest[name as keyof typeof rest])))
      faults.push(`citation ${own.number} isn't that of the answer`);
  }
  return faults;
}

/** What the markers have added to a message, in order: each with the space or the line break before it. */
function insertedRanges(message: string, citations: readonly WireCitation[]) {
  const ranges = new Map(citations.map(({ markerRange: { start, end } }) => [start, end]));
  return [...ranges]
    .toSorted(([a], [b]) => a - b)
    .map(([start, end]) => ({ start: start - (message[start - 1] === "\n" ? 2 : 1), end }));
}

function lengthBefore({ start, end }: { readonly start: number; readonly end: number }, at: number): number {
  return end <= at ? end - start : 0;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
