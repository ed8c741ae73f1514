import { isDeepStrictEqual } from "node:util";
import { KnowledgeBase, type SearchHit, type SearchOptions } from "lorebase";
import { quantile } from "#dist/evaluate/metrics.js";
import { type Collection, readCollection } from "#dist/evaluate/read-collection.js";
import { ingestCollection } from "./ingest-collection.js";
import { type Random, seededRandom } from "./random.js";

export interface TypoCampaignOptions {
  /** A folder in the BEIR layout. */
  readonly directory: string;
  readonly words: number;
  readonly seed: number;
}

/** How many searches of words found a document among the first ten. */
export interface WordFigures {
  readonly words: number;
  /** The word's own first hit, by the edited word. */
  readonly firstHit: number;
  /** The document from which the word was taken, by the word. */
  readonly source: number;
  /** The same, by the edited word. */
  readonly sourceEdited: number;
  /** Edited words that the collection has too: nobody can tell that they are misspelled. */
  readonly otherWords: number;
  /** Median milliseconds of the first search for one half of the words, and for the edited words of the other half. */
  readonly firstP50: { readonly word: number; readonly edited: number };
  /** Median milliseconds of later searches: for the word, the edited word, and the word without tolerance. */
  readonly laterP50: { readonly word: number; readonly edited: number; readonly exact: number };
}

/** How many right documents the collection's queries find among the first ten. */
export interface QueryFigures {
  readonly queries: number;
  readonly relevant: number;
  readonly found: number;
  /** With one edited word in each query. */
  readonly foundEdited: number;
  /** The same without tolerance. */
  readonly foundExact: number;
  /** Queries of which the collection has all words, and those of them whose hits tolerance changes. */
  readonly known: number;
  readonly changed: number;
}

const WORD_PATTERN = /(?<![\p{L}\p{N}\p{M}])\p{L}{4,32}(?![\p{L}\p{N}\p{M}])/gu;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Searches a collection for words and queries with one edit in a word, in keyword mode. */
export async function typoCampaign({ directory, words, seed }: TypoCampaignOptions) {
  const collection = await readCollection(directory);
  await using kb = new KnowledgeBase({ directory: ":memory:" });
  await ingestCollection(kb, collection);
  const random = seededRandom(seed);
  const search: Search = (query, options) =>
    kb.search(collection.name, query, { mode: "keyword", topK: 10, ...options });
  return {
    words: await searchWords({ collection, words, random, search }),
    queries: await searchQueries({ collection, random, search }),
  };
}

type Search = (query: string, options?: SearchOptions) => Promise<readonly SearchHit[]>;

interface Searches {
  readonly collection: Collection;
  readonly random: Random;
  readonly search: Search;
}

async function searchWords(options: Searches & { readonly words: number }): Promise<WordFigures> {
  const { collection, random, search, words } = options;
  const sampled = new Map<string, string>();
  while (sampled.size < words) {
    const { id, title, text } = random.pick(collection.documents);
    const found = `${title}\n${text}`.match(WORD_PATTERN);
    if (found) sampled.set(random.pick(found).toLowerCase(), id);
  }
  let [firstHit, source, sourceEdited, otherWords] = [0, 0, 0, 0];
  const first = { word: [] as number[], edited: [] as number[] };
  const later = { word: [] as number[], edited: [] as number[], exact: [] as number[] };
  for (const [index, [word, id]] of [...sampled].entries()) {
    const edited = withOneEdit(word, random);
    // A search reads postings that the other one needs too, so each word is first searched for in one form only.
    const isWordFirst = index % 2 === 0;
    await timed(isWordFirst ? first.word : first.edited, () => search(isWordFirst ? word : edited));
    await search(isWordFirst ? edited : word);
    const hits = await timed(later.word, () => search(word));
    const hitsOfEdited = await timed(later.edited, () => search(edited));
    await timed(later.exact, () => search(word, { typoTolerance: false }));
    firstHit += Number(hasDocument(hitsOfEdited, documentOf(hits[0])));
    source += Number(hasDocument(hits, id));
    sourceEdited += Number(hasDocument(hitsOfEdited, id));
    otherWords += Number(await areKnown(search, edited));
  }
  const firstP50 = { word: median(first.word), edited: median(first.edited) };
  const laterP50 = { word: median(later.word), edited: median(later.edited), exact: median(later.exact) };
  return { words, firstHit, source, sourceEdited, otherWords, firstP50, laterP50 };
}

async function searchQueries({ collection, random, search }: Searches): Promise<QueryFigures> {
  let [relevant, found, foundEdited, foundExact, known, changed] = [0, 0, 0, 0, 0, 0];
  for (const { id, text } of collection.queries) {
    const right = [...collection.judgements.get(id)!].filter(([, grade]) => grade > 0).map(([document]) => document);
    const count = (hits: readonly SearchHit[]) => right.filter((document) => hasDocument(hits, document)).length;
    const edited = withOneEditedWord(text, random);
    const [hits, exact] = [await search(text), await search(text, { typoTolerance: false })];
    relevant += right.length;
    found += count(hits);
    foundEdited += count(await search(edited));
    foundExact += count(await search(edited, { typoTolerance: false }));
    if (!(await areKnown(search, text))) continue;
    known++;
    changed += Number(!isDeepStrictEqual(hits, exact));
  }
  return { queries: collection.queries.length, relevant, found, foundEdited, foundExact, known, changed };
}

/** Removes, adds or replaces a letter, or swaps two, which differ. */
function withOneEdit(word: string, random: Random): string {
  for (;;) {
    const at = random.integer(0, word.length - 1);
    const [before, letter, after] = [word.slice(0, at), word[at]!, word.slice(at + 1)];
    const added = random.pick([...LETTERS]);
    const edited = random.pick([
      `${before}${after}`,
      `${before}${added}${letter}${after}`,
      `${before}${added}${after}`,
      `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
    ]);
    if (edited !== word) return edited;
  }
}

function withOneEditedWord(query: string, random: Random): string {
  const words = [...query.matchAll(WORD_PATTERN)];
  if (words.length === 0) return query;
  const { 0: word, index } = random.pick(words);
  return `${query.slice(0, index)}${withOneEdit(word.toLowerCase(), random)}${query.slice(index + word.length)}`;
}

function hasDocument(hits: readonly SearchHit[], document: unknown): boolean {
  return document !== undefined && hits.some((hit) => documentOf(hit) === document);
}

function documentOf(hit: SearchHit | undefined): unknown {
  return hit?.metadata?.corpusId;
}

/** Returns whether each word of a query is in some passage. */
async function areKnown(search: Search, query: string): Promise<boolean> {
  for (const word of new Set(query.match(/[\p{L}\p{N}\p{M}]+/gu)))
    if ((await search(word, { typoTolerance: false })).length === 0) return false;
  return true;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

async function timed<Result>(times: number[], run: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  const result = await run();
  times.push(performance.now() - started);
  return result;
}
