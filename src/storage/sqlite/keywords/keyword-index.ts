import type { Analyzer } from "../../../text-analysis/analyzer.js";
import type { CompoundParts } from "../../../text-analysis/compounds.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import { SUFFIX_RANGE } from "../../../text-analysis/keyword-text.js";
import type { Vocabulary } from "../../../text-analysis/similar-words.js";
import type { Stemming } from "../../../text-analysis/stemming.js";
import { IndexedRows, type NewRow } from "../../keywords/indexed-rows.js";
import { Postings } from "../../keywords/postings.js";
import {
  lookupKey,
  lookupOf,
  type TermLookup,
  type TermPhrase,
  type TokenPrefix,
  withoutCompounds,
  wordLookup,
} from "../../keywords/term-lookup.js";
import { VisibleRowsCache } from "../../keywords/visible-rows.js";
import { CachedVocabulary, joinVocabularies } from "../../keywords/vocabulary.js";
import type { SearchedScope } from "../search-index/find-scope.js";
import { changesSince } from "../search-index/scope-changes.js";
import type { Statements } from "../statements.js";
import { createKeywordTable, dropKeywordTable, KEYWORD_TEXT_SQL, keywordTableName } from "./keyword-table.js";

/** The maximum number of chunks in the temporary table before terms are read again from the scope's table. */
const MAX_ADDED_CHUNKS = 5000;
/** The number of new chunks above which reading terms again from the scope's table is faster than tokenizing chunks. */
const MAX_NEW_CHUNKS = 500;
/** The number of dead rows that never cause the index to be rebuilt. */
const TOLERATED_DEAD_ROWS = 1000;

/** The suffix of a token; empty if it has none. */
const TOKEN_SUFFIX = `CASE WHEN substr(term, -1) BETWEEN '${SUFFIX_RANGE.first}' AND '${SUFFIX_RANGE.last}' THEN substr(term, -1) ELSE '' END`;

/**
 * A reader's in-memory keyword index of a scope. It holds the published chunks with their lengths and, for each term
 * that has been searched for, the term's postings. Its statistics are those of the published chunks alone.
 *
 * Postings are read from the scope's FTS5 table, if there is one. Chunks published later are also added to a temporary
 * table of the connection, from which the postings of known terms are extended; a small scope has the temporary table
 * only. FTS5 itself would read each row's length and every posting from the file in each query.
 */
export class KeywordIndex {
  readonly rows = new IndexedRows();
  readonly visibleRows = new VisibleRowsCache(this.rows);
  #epoch: number;
  readonly #keywordVersion: number;
  readonly #db: Statements;
  readonly analyzer: Analyzer;
  readonly #scopeId: number;
  /** Whether the scope had a table when the index was built. */
  readonly #hasTable: boolean;
  /** The postings of each term, the least recently used term first. */
  readonly #terms = new Map<string, Postings>();
  #termBytes = 0;
  /** The number of chunks in the temporary table. */
  #addedCount = 0;
  /** The number of the first row whose terms are in the temporary table. */
  #addedFrom = 0;
  /** How the indexed texts are stemmed. */
  readonly stemmings = new Set<Stemming>();
  /** The tokens of the scope's table when it was last read. All that were added later are in the temporary table. */
  readonly #storedTokens = this.#vocabularyOf("main");
  readonly #addedTokens = this.#vocabularyOf("temp");
  readonly vocabulary: Vocabulary;

  constructor(db: Statements, analyzer: Analyzer, scope: SearchedScope) {
    this.#db = db;
    this.analyzer = analyzer;
    this.#scopeId = scope.id;
    this.#epoch = scope.epoch;
    this.#keywordVersion = scope.keyword_version;
    this.#hasTable = scope.keyword_table === 1;
    this.vocabulary = this.#hasTable ? joinVocabularies([this.#storedTokens, this.#addedTokens]) : this.#addedTokens;
    const { id } = scope;
    // Drops the tables of an index that could not be built.
    this.close();
    createKeywordTable(db, "temp", id);
    db.exec(`CREATE VIRTUAL TABLE temp.keyword_additions_${id} USING fts5vocab(temp, keywords_${id}, instance)`);
    if (this.#hasTable) {
      db.exec(`CREATE VIRTUAL TABLE temp.keyword_instances_${id} USING fts5vocab(main, keywords_${id}, instance)`);
      this.#appendStored("d.scope_id = ?", id);
    } else {
      this.#add("d.scope_id = ?", id);
    }
  }

  get bytes(): number {
    return (
      this.rows.bytes + this.#termBytes + this.#storedTokens.bytes + this.#addedTokens.bytes + this.visibleRows.bytes
    );
  }

  /** Applies the changes since the last search. Returns false if the index should be rebuilt instead. */
  update(scope: SearchedScope): boolean {
    if (scope.keyword_version !== this.#keywordVersion) return false;
    if (scope.epoch === this.#epoch) return true;
    const candidates = changesSince(this.#db, scope, this.#epoch);
    if (candidates === null) return false;
    const changed = this.#withChangedChunks(candidates);
    this.rows.markDead(changed);
    const isOutgrown = !this.#hasTable && scope.keyword_table === 1 && this.#addedCount > MAX_ADDED_CHUNKS;
    const { size, liveCount } = this.rows;
    if (isOutgrown || size - liveCount > liveCount + TOLERATED_DEAD_ROWS) return false;
    const documents = JSON.stringify([...changed]);
    if (this.#hasTable && this.#exceedsLimits(documents)) {
      this.#db.exec(`INSERT INTO ${keywordTableName("temp", scope.id)} (keywords_${scope.id}) VALUES ('delete-all')`);
      this.#appendStored(IN_DOCUMENTS, documents);
    } else {
      this.#add(IN_DOCUMENTS, documents);
    }
    this.#addedTokens.clear();
    this.visibleRows.clear();
    this.#epoch = scope.epoch;
    return true;
  }

  /** Returns the documents whose published generation changed. For the others, only vectors were written or removed. */
  #withChangedChunks(candidates: ReadonlySet<number>): ReadonlySet<number> {
    const known = this.rows.filterKnown(candidates);
    if (known.size === 0) return candidates;
    const firstChunks = [
      ...this.#db.rows<[chunkSeq: number, documentSeq: number]>(
        `SELECT min(c.seq), d.seq FROM ${PUBLISHED_CHUNKS} WHERE ${IN_DOCUMENTS} GROUP BY d.seq ORDER BY 1`,
        JSON.stringify([...known]),
      ),
    ];
    const changed = new Set(candidates);
    const chunkSeqs = firstChunks.map(([chunkSeq]) => chunkSeq);
    this.rows.match(chunkSeqs, (index, number) => {
      if (this.rows.alive[number]) changed.delete(firstChunks[index]![1]);
    });
    return changed;
  }

  /** Returns the postings of each term. */
  postings(terms: readonly KeywordTerm[]): readonly Postings[] {
    return terms.map((term) => {
      const key = lookupKey(term, this.stemmings);
      return this.#postingsOf(key, () => lookupOf(this.analyzer, term, this.stemmings));
    });
  }

  postingsOfToken(token: string): Postings {
    // A term has no such character.
    return this.#postingsOf(`=${token}`, () => wordLookup([token]));
  }

  /** Returns the postings of a word without compounds. */
  wordPostings(term: KeywordTerm): Postings {
    // A term has no such character.
    return this.#postingsOf(`${term.text}=`, () => withoutCompounds(lookupOf(this.analyzer, term, this.stemmings)));
  }

  /** Evicts the vocabulary and visible rows, then the least recently used terms, until the index fits in `maxBytes`. */
  shrink(maxBytes: number): void {
    if (this.bytes > maxBytes) {
      this.#storedTokens.clear();
      this.#addedTokens.clear();
      this.visibleRows.clear();
    }
    for (const [key, postings] of this.#terms) {
      if (this.bytes <= maxBytes) return;
      this.#terms.delete(key);
      this.#termBytes -= postings.bytes;
    }
  }

  /** Drops the temporary tables. */
  close(): void {
    const id = this.#scopeId;
    this.#db.exec(
      `DROP TABLE IF EXISTS temp.keyword_additions_${id}; DROP TABLE IF EXISTS temp.keyword_instances_${id};
       DROP TABLE IF EXISTS temp.keyword_temp_words_${id}; DROP TABLE IF EXISTS temp.keyword_main_words_${id}`,
    );
    dropKeywordTable(this.#db, "temp", id);
  }

  #postingsOf(key: string, toLookup: () => TermLookup): Postings {
    let postings = this.#terms.get(key);
    if (postings !== undefined && postings.upTo < this.#addedFrom) {
      // The rows from `upTo` to `#addedFrom` are only in the scope's table.
      this.#terms.delete(key);
      this.#termBytes -= postings.bytes;
      postings = undefined;
    }
    if (postings === undefined) {
      const found = this.#occurrences(toLookup(), this.#hasTable ? "main" : "temp");
      postings = new Postings(found.chunkSeqs.length);
      this.#extend(postings, found);
      this.#termBytes += postings.bytes;
    } else {
      this.#terms.delete(key);
      if (postings.upTo < this.rows.size) {
        const before = postings.bytes;
        this.#extend(postings, this.#occurrences(toLookup(), "temp"));
        this.#termBytes += postings.bytes - before;
      }
    }
    this.#terms.set(key, postings);
    return postings;
  }

  #extend(postings: Postings, { chunkSeqs, counts }: Occurrences): void {
    const numbers: number[] = [];
    const found: number[] = [];
    this.rows.match(chunkSeqs, (index, number) => {
      if (number < postings.upTo) return;
      numbers.push(number);
      found.push(counts[index] ?? 1);
    });
    postings.extend({ numbers, counts: found }, this.rows.size);
  }

  /** Finds the chunks of a table that contain a term, ascending. */
  #occurrences(lookup: TermLookup, schema: "main" | "temp"): Occurrences {
    if (lookup.kind === "prefix") return this.#findByPrefixes(lookup.prefixes, lookup.tokens, schema);
    if (lookup.kind === "phrases") return this.#findByPhrases(lookup.phrases, schema);
    const { tokens, compounds } = lookup;
    const { starts, parts } = compounds;
    const lists = [
      ...tokens.map((token) => this.#chunksOf(schema, "term = ?", token)),
      ...starts.map(({ start, suffix, minLength }) => {
        const isCompound = `term >= ? AND term < ? AND substr(term, -1) = ? AND length(term) >= ? AND term NOT IN (${tokens.map(() => "?").join()})`;
        return this.#chunksOf(schema, isCompound, start, `${start}\u{10ffff}`, suffix, minLength, ...tokens);
      }),
    ].filter(({ length }) => length > 0);
    const own = lists.length === 1 ? lists[0]! : lists.flat().sort((a, b) => a - b);
    if (parts.length === 0) return countRepetitions(own);
    const found = new Set(own);
    const others = new Set(
      parts.flatMap((each) => this.#chunksWithParts(each, schema)).filter((seq) => !found.has(seq)),
    );
    return countRepetitions([...own, ...others].sort((a, b) => a - b));
  }

  #chunksWithParts({ first, rest }: CompoundParts, schema: "main" | "temp"): readonly number[] {
    const withRest = this.#chunksOf(schema, "term = ?", rest);
    if (withRest.length === 0) return [];
    const withFirst = new Set(first.flatMap((token) => this.#chunksOf(schema, "term = ?", token)));
    return withRest.filter((seq) => withFirst.has(seq));
  }

  /** Returns the chunk of each occurrence of the tokens that meet a condition. */
  #chunksOf(schema: "main" | "temp", condition: string, ...values: readonly (string | number)[]): readonly number[] {
    const [joined] = this.#db.column(
      `SELECT group_concat(doc, ' ') FROM ${this.#instances(schema)} WHERE ${condition}`,
      ...values,
    );
    return parseNumbers(joined as string | null);
  }

  /** Chunks that were never published or are no longer have tokens, too. */
  #vocabularyOf(schema: "main" | "temp"): CachedVocabulary {
    return new CachedVocabulary({
      known: (tokens) =>
        this.#db.column<string>(
          `SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM ${this.#instances(schema)} WHERE term = value)`,
          JSON.stringify(tokens),
        ),
      beginningWith: (character) => {
        const id = this.#scopeId;
        const words = `temp.keyword_${schema}_words_${id}`;
        // Few scopes are asked for misspelled words.
        this.#db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${words} USING fts5vocab(${schema}, keywords_${id}, row)`);
        const range = [character, `${character}\u{10ffff}`];
        return this.#db.column<string>(`SELECT term FROM ${words} WHERE term >= ? AND term < ?`, ...range);
      },
    });
  }

  #instances(schema: "main" | "temp"): string {
    return `temp.keyword_${schema === "main" ? "instances" : "additions"}_${this.#scopeId}`;
  }

  #findByPrefixes(prefixes: readonly TokenPrefix[], tokens: readonly string[], schema: "main" | "temp"): Occurrences {
    const lists = [
      ...prefixes.map(({ start, suffixes }) => {
        const range = [start, `${start}\u{10ffff}`];
        if (suffixes === null) return this.#chunksOf(schema, "term >= ? AND term < ?", ...range);
        const hasSuffix = `${TOKEN_SUFFIX} IN (${suffixes.map(() => "?").join()})`;
        return this.#chunksOf(schema, `term >= ? AND term < ? AND ${hasSuffix}`, ...range, ...suffixes);
      }),
      ...tokens.map((token) => this.#chunksOf(schema, "term = ?", token)),
    ];
    return { chunkSeqs: [...new Set(lists.flat())].sort((a, b) => a - b), counts: [] };
  }

  /** FTS5 says which chunks contain a phrase, not how often, without reading every occurrence of its parts. */
  #findByPhrases(phrases: readonly TermPhrase[], schema: "main" | "temp"): Occurrences {
    if (phrases.length === 0) return { chunkSeqs: [], counts: [] };
    const expression = phrases.map(({ phrase, prefix }) => `"${phrase}"${prefix ? " *" : ""}`).join(" OR ");
    const name = `keywords_${this.#scopeId}`;
    const chunkSeqs = this.#db.column<number>(
      `SELECT rowid FROM ${schema}.${name} WHERE ${name} MATCH ? ORDER BY rowid`,
      expression,
    );
    return { chunkSeqs, counts: [] };
  }

  /** Returns whether documents have too many chunks to add to the temporary table. */
  #exceedsLimits(documents: string): boolean {
    const [chunkCount] = this.#db.column<number>(
      "SELECT coalesce(sum(total_chunks), 0) FROM documents WHERE seq IN (SELECT value FROM json_each(?)) AND generation > 0",
      documents,
    );
    return chunkCount! > MAX_NEW_CHUNKS || this.#addedCount + chunkCount! > MAX_ADDED_CHUNKS;
  }

  /** Adds rows whose terms are in the scope's table. */
  #appendStored(condition: string, value: number | string): void {
    this.rows.append(this.#readRows("main", condition, value));
    this.#addedFrom = this.rows.size;
    this.#addedCount = 0;
    this.#storedTokens.clear();
  }

  /** Adds rows, and adds their terms to the temporary table. */
  #add(condition: string, value: number | string): void {
    const table = keywordTableName("temp", this.#scopeId);
    this.#addedCount += this.#db.run(
      `INSERT INTO ${table} (rowid, text)
       SELECT c.seq, ${KEYWORD_TEXT_SQL} FROM ${PUBLISHED_CHUNKS} WHERE ${condition}`,
      value,
    );
    this.rows.append(this.#readRows("temp", condition, value));
  }

  /**
   * Reads the rows of published chunks. SQL joins them into one text, which is four times faster than reading rows.
   */
  #readRows(schema: "main" | "temp", condition: string, value: number | string): readonly NewRow[] {
    const { joined, stemmings } = this.#db.get<{ joined: string | null; stemmings: string | null }>(
      `SELECT group_concat(c.seq || ' ' || d.seq || ' ' || hex(l.sz), ' ') AS joined,
         group_concat(DISTINCT c.stemming) AS stemmings FROM ${PUBLISHED_CHUNKS}
       JOIN ${keywordTableName(schema, this.#scopeId)}_docsize l ON l.id = c.seq WHERE ${condition}`,
      value,
    )!;
    for (const stemming of stemmings?.split(",") ?? []) this.stemmings.add(Number(stemming));
    const parts = joined?.split(" ") ?? [];
    return Array.from({ length: parts.length / 3 }, (_, index) => ({
      chunkSeq: Number(parts[3 * index]),
      documentSeq: Number(parts[3 * index + 1]),
      wordCount: decodeVarint(parts[3 * index + 2]!),
    }));
  }
}

/** The chunks in which a term occurs. */
interface Occurrences {
  readonly chunkSeqs: readonly number[];
  /** How often the term occurs in each chunk; empty if once in each. */
  readonly counts: readonly number[];
}

const IN_DOCUMENTS = "d.seq IN (SELECT value FROM json_each(?))";
const PUBLISHED_CHUNKS = "documents d CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation";

/** Parses numbers that are separated by spaces. SQLite returns them faster as one text than as rows. */
function parseNumbers(joined: string | null): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let at = 0; joined !== null && at <= joined.length; at++) {
    const digit = joined.charCodeAt(at) - 48;
    if (digit >= 0) number = number * 10 + digit;
    else {
      numbers.push(number);
      number = 0;
    }
  }
  return numbers;
}

/** Counts the repetitions in an ascending list. */
function countRepetitions(ascending: readonly number[]): Occurrences {
  const chunkSeqs: number[] = [];
  const counts: number[] = [];
  for (const chunkSeq of ascending) {
    if (chunkSeqs.at(-1) === chunkSeq) counts[counts.length - 1]!++;
    else {
      chunkSeqs.push(chunkSeq);
      counts.push(1);
    }
  }
  return { chunkSeqs, counts };
}

/** Decodes a varint in hexadecimal (sqlite.org/fileformat2.html#varint): the length of a row in words. */
function decodeVarint(hex: string): number {
  let value = 0;
  for (let at = 0; at < hex.length; at += 2) value = value * 128 + (Number.parseInt(hex.slice(at, at + 2), 16) & 0x7f);
  return value;
}
