import type { TextEmbedder } from "../engine/engine.js";
import type { CallOptions } from "../types.js";
import type { Citation } from "./answer.js";
import { cite } from "./cite.js";
import { contextOf } from "./extractive.js";
import type { FoundPassage } from "./find-passages.js";
import { fitPassages } from "./prompt.js";
import { readSentences } from "./sentence-features.js";
import { scoreOf } from "./sentence-scorer.js";

/** The passages that a language model has been shown, numbered from 1 in the order in which they were shown. */
export class ShownPassages<M> {
  readonly #passages: FoundPassage<M>[] = [];
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  #tokensLeft: number;

  /** @param maxTokens The maximum tokens of all passages together. */
  constructor(maxTokens: number) {
    this.#tokensLeft = maxTokens;
  }

  /** The text of all passages for a prompt. */
  get text(): string {
    return this.#texts.join("\n");
  }

  get(number: number): FoundPassage<M> | undefined {
    return this.#passages[number - 1];
  }

  /** Adds as many passages as fit and returns their text. Passages that were already shown are listed by number. */
  show(found: readonly FoundPassage<M>[], maxTokens = this.#tokensLeft): string {
    const known = found.flatMap(({ hit }) => this.#numbers.get(hit.id) ?? []);
    const added = found.filter(({ hit }) => !this.#numbers.has(hit.id));
    const firstNumber = this.#texts.length + 1;
    const fitting = fitPassages(
      added.map(({ hit }) => hit),
      { maxTokens: Math.min(maxTokens, this.#tokensLeft), firstNumber },
    );
    for (const [index, { text, tokens, length }] of fitting.entries()) {
      const passage = added[index]!;
      const end = length === undefined ? passage.text.length : storedLengthIn(passage, length);
      this.#passages.push({ ...passage, text: passage.text.slice(0, end), wholeText: passage.text });
      this.#texts.push(text);
      this.#numbers.set(passage.hit.id, this.#texts.length);
      this.#tokensLeft -= tokens;
    }
    const texts = this.#texts.slice(firstNumber - 1);
    if (known.length > 0) texts.push(`Shown above: ${known.map((number) => `[${number}]`).join(" ")}`);
    return texts.join("\n");
  }
}

/**
 * Returns the length of the stored text in the first `length` characters of a hit's text, which has additional Markdown
 * markers.
 */
function storedLengthIn({ hit, text }: FoundPassage<unknown>, length: number): number {
  let end = 0;
  for (const character of hit.text.slice(0, length)) if (text.startsWith(character, end)) end += character.length;
  return end;
}

/** Cites the sentence of a passage that best supports a claim, or the whole passage if it has no sentence. */
export async function citeForClaim(
  claim: string,
  passage: FoundPassage<unknown>,
  embedder: TextEmbedder,
  call: CallOptions,
): Promise<Omit<Citation, "number" | "answerRange">> {
  const { text } = passage;
  const sources = [{ text, context: contextOf(passage.stored) }];
  const { candidates, featuresOf } = await readSentences(sources, embedder, call);
  if (candidates.length === 0) return cite(passage, { text, start: 0, end: text.length });
  const scores = (await featuresOf(claim)).map(scoreOf);
  return cite(passage, candidates[scores.indexOf(Math.max(...scores))]!.sentence);
}
