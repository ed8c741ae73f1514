import type { Analyzer } from "../../../text-analysis/analyzer.js";
import { findCompletions, unstemmedToken } from "../../../text-analysis/completions.js";
import type { KeywordTerm } from "../../../text-analysis/keyword-term.js";
import { keywordPhrase } from "../../../text-analysis/keyword-text.js";
import type { SearchedScope } from "../search-index/find-scope.js";
import { changesSince } from "../search-index/scope-changes.js";
import type { Statements } from "../statements.js";
import { createKeywordTable, dropKeywordTable, KEYWORD_TEXT, keywordTable } from "./keyword-table.js";
import { type LiveRow, LiveRows } from "./live-rows.js";
import { Postings } from "./postings.js";

/** Maximum chunks in the connection's table before terms are read again from the scope's table. */
const MAX_ADDED = 5000;
/** With more new chunks than this, tokenizing them again isn't worthwhile. */
const MAX_NEW_CHUNKS = 500;
/** Dead rows that are always tolerated. */
const MIN_DEAD = 1000;

/**
 * A reader's in-memory index of a scope for ranking by words: the published chunks with their lengths and, for each
 * term that has been searched for, its postings. Statistics are those of the published chunks alone.
 *
 * Postings are read from the scope's FTS5 table, if it has one. Chunks published later are also added to a temporary
 * table of the connection, which extends the postings of known terms; a small scope has that table only. FTS5 itself
 * would read each row's length and every posting from the file in each query.
 */
export class KeywordIndex {
  readonly rows = new LiveRows();
  /** Dead rows; when their number changes, document frequencies are counted again. */
  deaths = 0;
  #epoch: number;
  readonly #db: Statements;
  readonly #analyzer: Analyzer;
  readonly #scopeId: number;
  /** Whether the scope's own table had all published chunks when the index was built. */
  readonly #stored: boolean;
  readonly #terms = new Map<string, Postings>();
  #termBytes = 0;
  /** Chunks in the connection's own table. */
  #added = 0;
  /** The first row of those; earlier rows are in the scope's table. */
  #addedFrom = 0;
  /** Whether there are stemmed and unstemmed rows. */
  readonly #forms = { stemmed: false, unstemmed: false };

  constructor(db: Statements, analyzer: Analyzer, scope: SearchedScope) {
    this.#db = db;
    this.#analyzer = analyzer;
    this.#scopeId = scope.id;
    this.#epoch = scope.epoch;
    this.#stored = scope.keyword_table === 1;
    const { id } = scope;
    // Removes the remains of an index that failed while it was built.
    this.close();
    createKeywordTable(db, "temp", id);
    db.exec(`CREATE VIRTUAL TABLE temp.keyword_additions_${id} USING fts5vocab(temp, keywords_${id}, instance)`);
    if (this.#stored) {
      db.exec(`CREATE VIRTUAL TABLE temp.keyword_instances_${id} USING fts5vocab(main, keywords_${id}, instance)`);
      this.#appendStored("d.scope_id = ?", id);
    } else {
      this.#add("d.scope_id = ?", id);
    }
  }

  get bytes(): number {
    return this.rows.bytes + this.#termBytes;
  }

  /** Applies changes since the last search; returns false if building the index anew is better. */
  update(scope: SearchedScope): boolean {
    if (scope.epoch === this.#epoch) return true;
    const noted = changesSince(this.#db, scope, this.#epoch);
    if (noted === null) return false;
    const changed = this.#withOtherChunks(noted);
    this.deaths += this.rows.kill(changed);
    const outgrown = !this.#stored && scope.keyword_table === 1 && this.#added > MAX_ADDED;
    if (outgrown || this.rows.size - this.rows.live > this.rows.live + MIN_DEAD) return false;
    const documents = JSON.stringify([...changed]);
    if (this.#stored && this.#isMuch(documents)) {
      this.#db.exec(`INSERT INTO ${keywordTable("temp", scope.id)} (keywords_${scope.id}) VALUES ('delete-all')`);
      this.#appendStored(AMONG, documents);
    } else {
      this.#add(AMONG, documents);
    }
    this.#epoch = scope.epoch;
    return true;
  }

  /** Documents whose published generation changed. For the others, only vectors were written or removed. */
  #withOtherChunks(noted: ReadonlySet<number>): ReadonlySet<number> {
    const known = this.rows.knownAmong(noted);
    if (known.size === 0) return noted;
    const first = [
      ...this.#db.rows<[chunkSeq: number, documentSeq: number]>(
        `SELECT min(c.seq), d.seq FROM ${LIVE_CHUNKS} WHERE ${AMONG} GROUP BY d.seq ORDER BY 1`,
        JSON.stringify([...known]),
      ),
    ];
    const changed = new Set(noted);
    const chunkSeqs = first.map(([chunkSeq]) => chunkSeq);
    this.rows.match(chunkSeqs, (index, number) => {
      if (this.rows.alive[number]) changed.delete(first[index]![1]);
    });
    return changed;
  }

  /** The postings of each term. */
  postings(terms: readonly KeywordTerm[]): readonly Postings[] {
    return terms.map((term) => this.#postingsOf(term));
  }

  /** Evicts the least recently used terms until the rest fits in the given bytes. */
  shrink(bytes: number): void {
    for (const [key, postings] of this.#terms) {
      if (this.bytes <= bytes) return;
      this.#terms.delete(key);
      this.#termBytes -= postings.bytes;
    }
  }

  close(): void {
    const id = this.#scopeId;
    this.#db.exec(
      `DROP TABLE IF EXISTS temp.keyword_additions_${id}; DROP TABLE IF EXISTS temp.keyword_instances_${id}`,
    );
    dropKeywordTable(this.#db, "temp", id);
  }

  #postingsOf(term: KeywordTerm): Postings {
    const key = `${term.text}${term.prefix ? "*" : ""}`;
    let postings = this.#terms.get(key);
    if (postings !== undefined && postings.upTo < this.#addedFrom) {
      // The rows after it are in the scope's own table only.
      this.#terms.delete(key);
      this.#termBytes -= postings.bytes;
      postings = undefined;
    }
    if (postings === undefined) {
      const found = this.#occurrences(term, this.#stored ? "main" : "temp");
      postings = new Postings(found.chunkSeqs.length);
      this.#extend(postings, found);
      this.#termBytes += postings.bytes;
    } else {
      this.#terms.delete(key);
      if (postings.upTo < this.rows.size) {
        const before = postings.bytes;
        this.#extend(postings, this.#occurrences(term, "temp"));
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

  /** The stemmed and unstemmed forms of a term, as far as the scope's rows have them. */
  #formsOf({ text, prefix }: KeywordTerm): readonly string[] {
    const { stemmed, unstemmed } = this.#forms;
    const forms = [...(stemmed ? [true] : []), ...(unstemmed ? [false] : [])];
    return forms.map((form) => keywordPhrase(text, form, prefix));
  }

  /**
   * The chunks of a table that contain a term, ascending. A word counts as often as it occurs, stemmed and unstemmed; a
   * phrase or a prefix counts once, since FTS5 would have to read every occurrence of their parts.
   */
  #occurrences(term: KeywordTerm, schema: "main" | "temp"): Occurrences {
    const forms = this.#formsOf(term);
    const tokens = this.#analyzer.terms(forms);
    const isWord = tokens.every(({ length }) => length === 1);
    const beginning = term.prefix && isWord ? unstemmedToken(this.#analyzer, term.text) : undefined;
    if (beginning !== undefined && tokens.some(([token]) => token !== beginning))
      return this.#beginning(beginning, term.text, schema);
    if (term.prefix || !isWord) return this.#containing(forms, term, schema);
    const docs = tokens.map(([token]) => this.#docs(schema, "term = ?", token!)).filter(({ length }) => length > 0);
    return counted(docs.length === 1 ? docs[0]! : docs.flat().sort((a, b) => a - b));
  }

  /** The chunk of each occurrence of matching words. */
  #docs(schema: "main" | "temp", condition: string, ...values: readonly string[]): readonly number[] {
    const instances = `temp.keyword_${schema === "main" ? "instances" : "additions"}_${this.#scopeId}`;
    const [joined] = this.#db.column(`SELECT group_concat(doc, ' ') FROM ${instances} WHERE ${condition}`, ...values);
    return numbersIn(joined as string | null);
  }

  /**
   * Like FTS5, but without stemming the typed prefix as if it were a whole word: it would turn "key" into "kei", which
   * is no prefix of "keyword".
   */
  #beginning(beginning: string, text: string, schema: "main" | "temp"): Occurrences {
    const completed = this.#forms.stemmed ? findCompletions(this.#analyzer, text) : [];
    const docs = [
      this.#docs(schema, "term >= ? AND term < ?", beginning, `${beginning}\u{10ffff}`),
      ...completed.map(({ token }) => this.#docs(schema, "term = ?", token)),
    ];
    return { chunkSeqs: [...new Set(docs.flat())].sort((a, b) => a - b), counts: [] };
  }

  #containing(forms: readonly string[], { text, prefix }: KeywordTerm, schema: "main" | "temp"): Occurrences {
    if (forms.length === 0) return { chunkSeqs: [], counts: [] };
    const completed = prefix && this.#forms.stemmed ? findCompletions(this.#analyzer, text) : [];
    const expression = [
      ...forms.map((form) => `"${form}"${prefix ? " *" : ""}`),
      ...completed.map(({ phrase }) => `"${phrase}"`),
    ].join(" OR ");
    const name = `keywords_${this.#scopeId}`;
    const chunkSeqs = this.#db.column<number>(
      `SELECT rowid FROM ${schema}.${name} WHERE ${name} MATCH ? ORDER BY rowid`,
      expression,
    );
    return { chunkSeqs, counts: [] };
  }

  #isMuch(documents: string): boolean {
    const [chunks] = this.#db.column<number>(
      "SELECT coalesce(sum(total_chunks), 0) FROM documents WHERE seq IN (SELECT value FROM json_each(?)) AND generation > 0",
      documents,
    );
    return chunks! > MAX_NEW_CHUNKS || this.#added + chunks! > MAX_ADDED;
  }

  /** Adds rows whose terms are in the scope's own table. */
  #appendStored(condition: string, value: number | string): void {
    this.rows.append(this.#readLive("main", condition, value));
    this.#addedFrom = this.rows.size;
    this.#added = 0;
  }

  #add(condition: string, value: number | string): void {
    const table = keywordTable("temp", this.#scopeId);
    this.#added += this.#db.run(
      `INSERT INTO ${table} (rowid, text) SELECT c.seq, ${KEYWORD_TEXT} FROM ${LIVE_CHUNKS} WHERE ${condition}`,
      value,
    );
    this.rows.append(this.#readLive("temp", condition, value));
  }

  /** As one text instead of many rows: four times faster. */
  #readLive(schema: "main" | "temp", condition: string, value: number | string): readonly LiveRow[] {
    const { joined, stemmed, unstemmed } = this.#db.get<{ joined: string | null; stemmed: number; unstemmed: number }>(
      `SELECT group_concat(c.seq || ' ' || d.seq || ' ' || hex(l.sz), ' ') AS joined, max(c.stemmed) = 1 AS stemmed,
         min(c.stemmed) = 0 AS unstemmed FROM ${LIVE_CHUNKS}
       JOIN ${keywordTable(schema, this.#scopeId)}_docsize l ON l.id = c.seq WHERE ${condition}`,
      value,
    )!;
    this.#forms.stemmed ||= stemmed === 1;
    this.#forms.unstemmed ||= unstemmed === 1;
    const parts = joined?.split(" ") ?? [];
    return Array.from({ length: parts.length / 3 }, (_, index) => ({
      chunkSeq: Number(parts[3 * index]),
      documentSeq: Number(parts[3 * index + 1]),
      words: fromVarint(parts[3 * index + 2]!),
    }));
  }
}

interface Occurrences {
  readonly chunkSeqs: readonly number[];
  /** How often each occurs; once if it is empty. */
  readonly counts: readonly number[];
}

const AMONG = "d.seq IN (SELECT value FROM json_each(?))";
const LIVE_CHUNKS = "documents d CROSS JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation";

/** Parses numbers separated by spaces: one text is returned faster than as many rows. */
function numbersIn(joined: string | null): readonly number[] {
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
function counted(docs: readonly number[]): Occurrences {
  const chunkSeqs: number[] = [];
  const counts: number[] = [];
  for (const doc of docs) {
    if (chunkSeqs.at(-1) === doc) counts[counts.length - 1]!++;
    else {
      chunkSeqs.push(doc);
      counts.push(1);
    }
  }
  return { chunkSeqs, counts };
}

/** Decodes a varint in hexadecimal (sqlite.org/fileformat2.html#varint): the length of a row in words. */
function fromVarint(hex: string): number {
  let value = 0;
  for (let at = 0; at < hex.length; at += 2) value = value * 128 + (Number.parseInt(hex.slice(at, at + 2), 16) & 0x7f);
  return value;
}
