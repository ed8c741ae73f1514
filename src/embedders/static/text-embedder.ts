import { stemmer } from "stemmer";
import { KnowledgeBaseError } from "../../errors.js";
import { foldText } from "../lexical/characters.js";
import { hashStem, LEXICAL_DIMENSIONS, LexicalHasher, type NGramOptions } from "../lexical/vector.js";
import { WordScanner } from "../lexical/words.js";
import { MAX_PIECES_PER_WORD, PieceIndex } from "./piece-index.js";
import { StaticTable } from "./static-table.js";
import type { TableFile } from "./table-file.js";

/** Weight of the learned part for texts of known pieces, chosen on the benchmarks chunkeval and npl. 0.4 to 0.6 do as well. */
export const LEARNED_WEIGHT = 0.5;

/** With stems, n-grams of one length do as well as n-grams of three lengths, at this weight and at 0.15. */
const N_GRAM_OPTIONS: NGramOptions = { minLength: 4, maxLength: 4, weight: 0.2 };

/**
 * Embeds texts into vectors of two parts: a learned part from a table, and hashes of words. The similarity of two texts
 * is the weighted mean of the similarities of their parts. The learned part weighs less by the share of a text's tokens
 * that the table has no pieces for: of a text in another script it knows the numbers and some names, which say little
 * about the rest. A part that can't represent a text is a zero vector.
 *
 * The second part comes from `LexicalHasher`, except that words in the table are replaced by their stems (Porter, "An
 * algorithm for suffix stripping", Program 14(3), 1980). The stemmer's rules fit only the table's language, and words
 * of that language are in the table.
 */
export class TextEmbedder {
  readonly dimensions: number;
  readonly #table: StaticTable;
  readonly #index: PieceIndex;
  readonly #words = new WordScanner();
  readonly #hasher = new LexicalHasher(this.#words, N_GRAM_OPTIONS);
  readonly #learnedWeight: number;
  /** The hash of the stem of each piece that is a word; 0 until first used, since stemming takes a microsecond. */
  readonly #stemHashes: Int32Array;

  /** @param learnedWeight Weight of the learned part for texts of known pieces, 0 to 1 */
  constructor(table: TableFile, learnedWeight: number, options: { readonly useKernel?: boolean } = {}) {
    this.#table = new StaticTable(table, options);
    this.#index = new PieceIndex(table.vocabulary, table.pieceCount, options);
    if (this.#index.size !== table.pieceCount) {
      const sizes = `${this.#index.size} pieces instead of ${table.pieceCount}`;
      const message = `The table of vectors is damaged: it has ${sizes}.`;
      throw new KnowledgeBaseError("provider_failed", message);
    }
    this.#learnedWeight = learnedWeight;
    this.#stemHashes = new Int32Array(table.pieceCount);
    this.dimensions = table.dimensions + LEXICAL_DIMENSIONS;
  }

  /**
   * Writes the vector of a text into a zeroed array, and returns the number of tokens. The array stays zero for a text
   * without words.
   */
  embed(text: string, vector: Float32Array): number {
    const folded = foldText(text);
    const learned = vector.subarray(0, this.#table.dimensions);
    const hashed = vector.subarray(this.#table.dimensions);
    const { tokens, knownTokens } = this.#addText(folded);
    const length = this.#table.length;
    const weight = length === 0 ? 0 : (this.#learnedWeight * knownTokens) / tokens;
    const hasHashes = this.#hasher.flush(hashed, Math.sqrt(1 - weight));
    this.#table.flush(length === 0 ? 0 : Math.sqrt(hasHashes ? weight : 1) / length, learned);
    return tokens;
  }

  /** Counts pieces, each word without pieces as one token and, in scripts written without spaces, characters. */
  countTokens(text: string): number {
    const { pieces } = this.#table;
    const folded = foldText(text);
    let tokens = 0;
    this.#words.scan(
      folded,
      (start, end) => {
        tokens += Math.max(1, this.#index.split(folded, start, end, pieces, 0));
      },
      (start, end) => {
        tokens += end - start;
      },
    );
    return tokens;
  }

  /** Adds a text to both parts, and returns the number of tokens, and of those that are pieces. */
  #addText(folded: string): { readonly tokens: number; readonly knownTokens: number } {
    const table = this.#table;
    let [offset, tokens, knownTokens] = [0, 0, 0];
    this.#words.scan(
      folded,
      (start, end) => {
        const next = this.#index.split(folded, start, end, table.pieces, offset);
        tokens += Math.max(1, next - offset);
        knownTokens += next - offset;
        const isPiece = next === offset + 1 && this.#index.hasLength(table.pieces[offset]!, end - start);
        this.#addHashes(folded, start, end, isPiece ? table.pieces[offset]! : null);
        offset = next;
        if (offset + MAX_PIECES_PER_WORD <= table.pieces.length) return;
        table.add(offset);
        offset = 0;
      },
      (start, end) => {
        tokens += end - start;
        this.#hasher.addCharacters(folded, start, end);
      },
    );
    table.add(offset);
    return { tokens, knownTokens };
  }

  #addHashes(text: string, start: number, end: number, piece: number | null): void {
    if (this.#hasher.addStopWord(text, start, end)) return;
    if (piece === null) {
      this.#hasher.addWord(text, start, end);
    } else {
      // Caches the hash, not the stem, which may be a slice that keeps the whole text in memory.
      this.#stemHashes[piece] ||= hashStem(stemmer(text.slice(start, end)));
      this.#hasher.addStem(this.#stemHashes[piece]!);
    }
    this.#hasher.addNGrams(text, start, end);
  }
}
