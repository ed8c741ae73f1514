import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { IndexedRows } from "#dist/storage/keywords/indexed-rows.js";
import { Postings } from "#dist/storage/keywords/postings.js";
import { Ranking } from "#dist/storage/keywords/ranking.js";
import {
  createKeywordTable,
  KEYWORD_TEXT_SQL,
  removeFromKeywordTable,
} from "#dist/storage/sqlite/keywords/keyword-table.js";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { filterByTerms, keywordSearch } from "#dist/storage/sqlite/search-index/keyword-search.js";
import { recordChange } from "#dist/storage/sqlite/search-index/scope-changes.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { propertyRuns } from "../../support/property-runs.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const SCOPE = { organizationId: "org", namespaceId: "ns", tenantId: null };
/** Few words, so that several documents have the same ones and the same score. */
const WORDS = ["storm", "storms", "lamp", "keeper", "the", "tide", "oil", "wick", "gull", "stone"];

/** More than a reader tokenizes once more at a time. */
const MANY = Array.from({ length: 501 }, (_, index) => `${WORDS[index % 7]} ${WORDS[(index * 3) % 10]}`);

/** A scope that a writer fills as the engine does, in the steps that a reader may come between. */
class Scope {
  readonly writer: Statements;
  readonly reader: Statements;
  readonly documents = new Map<number, { generation: number; texts: readonly string[] }>();
  #dead: { documentSeq: number; generation: number }[] = [];

  constructor(directory: string) {
    const path = join(directory, "lorebase.db");
    const connection = openConnection(path, "writer");
    migrate(connection, MIGRATIONS);
    this.writer = new Statements(connection);
    this.reader = new Statements(openConnection(path, "reader"));
    // Nothing here is about crashes.
    connection.pragma("synchronous = OFF");
    this.writer.exec(`
      INSERT INTO organizations (id, name, created_at) VALUES ('org', 'o', 0);
      INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
        VALUES ('ns', 'org', 'n', 'n', 'n', '{}', '{}', 0);
      INSERT INTO scopes (namespace_id) VALUES ('ns');
      INSERT INTO ingest_jobs (id, namespace_id, status, config, created_at) VALUES ('job', 'ns', 'COMPLETED', '{}', 0)`);
  }

  close(): void {
    this.reader.connection.close();
    this.writer.connection.close();
  }

  /** A new generation of a document, of a new one where there is none at that place. */
  publish(place: number, texts: readonly string[]): void {
    const seq = place + 1;
    this.writer.run(
      `INSERT OR IGNORE INTO documents (seq, id, ingest_job_id, namespace_id, scope_id, item, status, config, file_size, mime_type, created_at)
       VALUES (?, ?, 'job', 'ns', 1, ?, 'COMPLETED', '{}', 0, '', 0)`,
      seq,
      `doc${seq}`,
      seq,
    );
    const { last } = this.writer.get<{ last: number }>(
      "UPDATE documents SET last_generation = last_generation + 1 WHERE seq = ? RETURNING last_generation AS last",
      seq,
    )!;
    for (const [ordinal, text] of texts.entries()) {
      this.writer.run(
        `INSERT INTO chunks (scope_id, document_seq, generation, ordinal, text, headings, metadata, tokens, start_offset, end_offset, stemming)
         VALUES (1, ?, ?, ?, ?, '[]', '{}', 0, 0, 0, ?)`,
        seq,
        last,
        ordinal,
        text,
        place % 3 === 0 ? 0 : 1,
      );
    }
    if (this.#stored)
      this.writer.run(
        `INSERT INTO keywords_1 (rowid, text) SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks WHERE document_seq = ? AND generation = ?`,
        seq,
        last,
      );
    this.#retire(seq);
    this.writer.run("UPDATE documents SET generation = ?, total_chunks = ? WHERE seq = ?", last, texts.length, seq);
    this.documents.set(seq, { generation: last, texts });
    recordChange(this.writer, { scopeId: 1, documentSeq: seq });
  }

  /** What is noted where the vectors of what is published are written once more. */
  rewriteVectors(place: number): void {
    if (this.documents.has(place + 1)) recordChange(this.writer, { scopeId: 1, documentSeq: place + 1 });
  }

  hide(place: number): void {
    const seq = place + 1;
    if (!this.documents.has(seq)) return;
    this.#retire(seq);
    this.writer.run("UPDATE documents SET generation = 0 WHERE seq = ?", seq);
    recordChange(this.writer, { scopeId: 1, documentSeq: seq });
  }

  /** Removes what is no longer shown. */
  purge(): void {
    for (const { documentSeq, generation } of this.#dead) {
      const chunks = this.writer.column<number>(
        "SELECT seq FROM chunks WHERE document_seq = ? AND generation = ?",
        documentSeq,
        generation,
      );
      for (const seq of chunks) {
        if (this.#stored) removeFromKeywordTable(this.writer, "main", 1, seq);
        this.writer.run("DELETE FROM chunks WHERE seq = ?", seq);
      }
    }
    this.#dead = [];
  }

  /** Gives the scope a table of its own, as when it grows large. */
  store(): void {
    if (this.#stored) return;
    createKeywordTable(this.writer, "main", 1);
    this.writer.run(`INSERT INTO keywords_1 (rowid, text) SELECT seq, ${KEYWORD_TEXT_SQL} FROM chunks`);
    this.writer.run("UPDATE scopes SET keyword_table = 1 WHERE id = 1");
  }

  get #stored(): boolean {
    return this.writer.column<number>("SELECT keyword_table FROM scopes")[0] === 1;
  }

  #retire(seq: number): void {
    const document = this.documents.get(seq);
    if (document) this.#dead.push({ documentSeq: seq, generation: document.generation });
    this.documents.delete(seq);
  }

  /** What FTS5 itself says of a table with the published chunks alone: complete matches first, then by its BM25. */
  expected(words: readonly string[]): readonly Expected[] {
    const oracle = this.reader;
    oracle.exec("DROP TABLE IF EXISTS temp.keywords_9");
    createKeywordTable(oracle, "temp", 9);
    oracle.run(
      `INSERT INTO temp.keywords_9 (rowid, text) SELECT c.seq, ${KEYWORD_TEXT_SQL} FROM chunks c
       JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation`,
    );
    // Either form of a word is one term to a search; a document has one of them only.
    const match = (expression: string) =>
      oracle.all<{ seq: number; rank: number }>(
        "SELECT rowid AS seq, rank FROM temp.keywords_9 WHERE keywords_9 MATCH ? ORDER BY rank, rowid",
        expression,
      );
    const all = new Set(match(words.map((word) => `"${word}"`).join(" AND ")).map(({ seq }) => seq));
    const documents = new Map(
      this.reader
        .all<{ seq: number; document: number }>("SELECT seq, document_seq AS document FROM chunks")
        .map(({ seq, document }) => [seq, document]),
    );
    const place = ({ seq }: Expected) => documents.get(seq)!;
    return match(words.map((word) => `"${word}"`).join(" OR "))
      .map(({ seq, rank }) => ({ seq, bm25: -rank, hasAllTerms: all.has(seq) }))
      .sort((a, b) => compare(a, b) || place(a) - place(b) || a.seq - b.seq);
  }

  /**
   * The best `limit` of the same by what their texts tell. A word that a chunk has in another form only adds a fifth less, and
   * words near each other and at the beginning add something. Of the best 200, so many are looked at until no other can
   * be among the best.
   */
  expectedByText(words: readonly string[], limit: number): readonly Expected[] {
    const texts = new Map(
      this.reader
        .all<{ seq: number; text: string }>("SELECT seq, text FROM chunks")
        .map(({ seq, text }) => [seq, text.split(" ")]),
    );
    const contributions = words.map((word) => new Map(this.expected([word]).map(({ seq, bm25 }) => [seq, bm25])));
    const rowCount = [...this.documents.values()].reduce((sum, document) => sum + document.texts.length, 0);
    const weights = contributions.map(({ size }) =>
      size === 0 ? 0 : Math.max(1e-6, Math.log((rowCount - size + 0.5) / (size + 0.5))),
    );
    const known = weights.reduce((sum, weight) => sum + weight, 0);
    const unknownCount = weights.filter((weight) => weight === 0).length;
    const scale = 1 + (0.8 * known) / (known + unknownCount * Math.max(0, ...weights) || 1);
    const look = (row: Expected): Expected => {
      const text = texts.get(row.seq)!;
      const added = additions(text, words, weights);
      const deductions = words.map((word, index) => {
        const forms = text.filter((form) => wordOf(form, words) === index);
        if (forms.length === 0 || forms.includes(word)) return 0;
        return ((contributions[index]!.get(row.seq) ?? 0) + added[index]!) / 5;
      });
      return { ...row, bm25: (row.bm25 - sum(deductions) + sum(added)) / scale };
    };
    const best = this.expected(words).slice(0, Math.max(200, limit));
    const unadjusted = best.map((row) => ({ ...row, bm25: row.bm25 / scale }));
    let count = Math.max(32, limit);
    for (;;) {
      const looked = best.slice(0, count).map(look).sort(compare);
      const next = unadjusted[count];
      if (!next || compare(next, looked[limit - 1]!) >= 0) return looked.slice(0, limit);
      count += 16;
    }
  }
}

/** Which of the words a form is, the same one if possible; -1 for none. */
function wordOf(form: string, words: readonly string[]): number {
  if (words.includes(form)) return words.indexOf(form);
  const stem = (word: string) => word.replace(/^storms$/, "storm");
  return words.findIndex((word) => stem(word) === stem(form));
}

/** What each word adds for where a text has it. */
function additions(text: readonly string[], words: readonly string[], weights: readonly number[]): readonly number[] {
  const places = text
    .map((form, position) => ({ word: wordOf(form, words), position }))
    .filter(({ word }) => word >= 0);
  return words.map((_, word) => {
    const first = places.find((place) => place.word === word);
    if (!first) return 0;
    const neighbours = places.slice(1).flatMap((place, index) => {
      const pair = [places[index]!, place];
      const other = pair.find((one) => one.word !== word);
      if (!other || pair.every((one) => one.word !== word)) return [];
      return [weights[other.word]! / (place.position - places[index]!.position)];
    });
    const near = sum(neighbours) / (1 + sum(neighbours));
    return 2.2 * weights[word]! * (0.2 * near + (0.6 * 30) / (30 + first.position));
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

interface Expected {
  readonly seq: number;
  readonly bm25: number;
  readonly hasAllTerms: boolean;
}

function compare(a: Expected, b: Expected): number {
  return Number(b.hasAllTerms) - Number(a.hasAllTerms) || b.bm25 - a.bm25;
}

function newScope(): Scope {
  const scope = new Scope(temporaryDirectory());
  onTestFinished(() => scope.close());
  return scope;
}

const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
/** Places that are no multiple of three hold stemmed documents; the oracle knows one form of a word only. */
const place = fc.nat({ max: 30 }).map((number) => number * 3 + 1 + (number % 2));
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("publish" as const), place, texts: fc.array(text, { maxLength: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("hide" as const), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewriteVectors" as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("purge" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("store" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("publishMuch" as const), place }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
      limit: fc.integer({ min: 1, max: 20 }),
    }),
  },
);

it("ranks like FTS5 over the published chunks alone, then by their texts, after any sequence of changes", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const scope = new Scope(temporaryDirectory());
      try {
        for (const taken of steps) {
          if (taken.kind === "publish") scope.publish(taken.place, taken.texts);
          if (taken.kind === "publishMuch") scope.publish(taken.place, MANY);
          if (taken.kind === "rewriteVectors") scope.rewriteVectors(taken.place);
          if (taken.kind === "hide") scope.hide(taken.place);
          if (taken.kind === "purge") scope.purge();
          if (taken.kind === "store") scope.store();
          if (taken.kind === "search") check(scope, taken.words, taken.limit);
        }
        check(scope, WORDS.slice(0, 3), 5);
      } finally {
        scope.close();
      }
    }),
    { numRuns: propertyRuns(20) },
  );
});

function check(scope: Scope, words: readonly string[], limit: number): void {
  const terms = words.map((word) => ({ text: word, prefix: false }));
  const { matches: found, ceiling } = keywordSearch(scope.reader, {
    scope: SCOPE,
    terms,
    limit,
    filter: null,
    required: null,
    typoTolerance: false,
    withPassages: false,
  });
  for (const { bm25 } of found) expect(bm25).toBeLessThan(ceiling);
  const expected = scope.expectedByText(words, limit);
  expect(found.map(({ hasAllTerms }) => hasAllTerms)).toEqual(expected.map(({ hasAllTerms }) => hasAllTerms));
  for (const [index, { bm25 }] of found.entries()) expect(bm25).toBeCloseTo(expected[index]!.bm25, 8);
  const seqs = scope.reader.column<number>("SELECT seq FROM chunks");
  const required = [{ text: words[0]!, prefix: false }];
  const containing = filterByTerms(scope.reader, { scope: SCOPE, terms: required, chunkSeqs: seqs });
  expect([...containing].sort((a, b) => a - b)).toEqual(
    scope
      .expected([words[0]!])
      .map(({ seq }) => seq)
      .sort((a, b) => a - b),
  );
}

it("skips only rows that cannot be among the best", () => {
  const scope = newScope();
  scope.store();
  // Words of very different frequency in texts of very different length: a rare word in a long text adds less than a common one again
  // and again in a short text, so that leaving out too early shows.
  const vocabulary = Array.from({ length: 40 }, (_, index) => `word${index}x`);
  const word = fc.noBias(fc.nat({ max: 9999 })).map((x) => vocabulary[Math.floor(40 ** (x / 10_000)) - 1]!);
  const words = fc.noBias(fc.array(word, { minLength: 1, maxLength: 60, size: "max" }));
  const repeated = fc.tuple(word, fc.integer({ min: 2, max: 9 })).map(([one, times]) => Array(times).fill(one));
  const texts = fc.sample(fc.oneof(words, repeated), { numRuns: 500, seed: 7 }).map((text) => text.join(" "));
  for (let place = 0; place < 10; place++) scope.publish(place * 3 + 1, texts.slice(place * 50, place * 50 + 50));
  const queries = fc.sample(fc.uniqueArray(fc.constantFrom(...vocabulary), { minLength: 2, maxLength: 5 }), {
    numRuns: propertyRuns(50),
    seed: 8,
  });
  for (const [index, query] of queries.entries()) check(scope, query, 1 + (index % 10));
});

it("ranks rows with a word by its own frequency, and rows with compounds of it only by half of theirs", () => {
  /** How often a row has a term, and whether it has the word itself. */
  const occurrence = fc.record({ count: fc.integer({ min: 0, max: 4 }), hasWord: fc.boolean() });
  const row = fc.record({
    wordCount: fc.integer({ min: 4, max: 40 }),
    has: fc.tuple(occurrence, occurrence, occurrence),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (all, limit) => {
      const rows = new IndexedRows();
      rows.append(all.map(({ wordCount }, chunkSeq) => ({ chunkSeq, documentSeq: chunkSeq, wordCount })));
      const postingsOf = (counts: readonly number[]) => {
        const numbers = [...counts.keys()].filter((number) => counts[number]! > 0);
        const postings = new Postings(0);
        postings.extend({ numbers, counts: numbers.map((number) => counts[number]!) }, all.length);
        return postings;
      };
      const terms = [0, 1, 2].map((place) => {
        const counts = all.map(({ has }) => has[place]!.count);
        const own = all.map(({ has }) => (has[place]!.hasWord ? Math.min(1, has[place]!.count) : 0));
        return {
          postings: postingsOf(counts),
          weight: 1,
          partial: { words: postingsOf(own), share: 0.5 },
          counts,
          own,
        };
      });
      const ranking = new Ranking();
      const ceiling = ranking.score(rows, terms, limit);
      const found = ranking.best(limit, terms.length);
      const meanLength = all.reduce((sum, { wordCount }) => sum + wordCount, 0) / all.length;
      const idf = (count: number) => Math.max(1e-6, Math.log((all.length - count + 0.5) / (count + 0.5)));
      const contribution = (number: number, { counts, own, postings, partial }: (typeof terms)[number]) => {
        const weight = own[number] ? idf(partial.words.size) : idf(postings.size) / 2;
        const length = 1.2 * (0.25 + (0.75 * all[number]!.wordCount) / meanLength);
        return (weight * counts[number]! * 2.2) / (counts[number]! + length);
      };
      const expected = all
        .map((_, number) => {
          const scores = terms.map((term) => contribution(number, term));
          return {
            number,
            isComplete: terms.every(({ counts }) => counts[number]! > 0),
            bm25: scores[0]! + scores[1]! + scores[2]!,
          };
        })
        .filter(({ bm25 }) => bm25 > 0)
        .sort((a, b) => Number(b.isComplete) - Number(a.isComplete) || b.bm25 - a.bm25)
        .slice(0, limit);
      expect(found.map(({ termCount }) => termCount === 3)).toEqual(expected.map(({ isComplete }) => isComplete));
      for (const [index, { number, bm25 }] of found.entries()) {
        expect(bm25).toBeCloseTo(expected[index]!.bm25, 8);
        expect(bm25).toBeLessThan(ceiling);
        const sum = ranking.contributions(number).reduce((total, each) => total + each, 0);
        expect(sum).toBeCloseTo(bm25, 8);
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

it("finds unstemmed words unchanged, beside stemmed ones", () => {
  const scope = newScope();
  scope.publish(0, ["storms"]);
  scope.publish(1, ["storms"]);
  const find = (word: string, prefix = false) =>
    keywordSearch(scope.reader, {
      scope: SCOPE,
      terms: [{ text: word, prefix }],
      limit: 9,
      filter: null,
      required: null,
      typoTolerance: false,
      withPassages: false,
    }).matches.map(({ id }) => id);
  expect(find("storms")).toEqual(["doc1.1.0", "doc2.1.0"]);
  expect(find("storm")).toEqual(["doc2.1.0"]);
  expect(find("sto", true)).toEqual(["doc1.1.0", "doc2.1.0"]);
});

it("keeps the words of a document if only its vectors were rewritten", () => {
  const scope = newScope();
  scope.publish(1, ["storm lamp", "lamp"]);
  check(scope, ["storm", "lamp"], 5);
  scope.rewriteVectors(1);
  check(scope, ["storm", "lamp"], 5);
  scope.publish(4, ["storm"]);
  scope.rewriteVectors(1);
  check(scope, ["storm", "lamp"], 5);
});

it("reads the scope again if it is too far behind to follow the changes", () => {
  const scope = newScope();
  scope.publish(1, ["storm"]);
  check(scope, ["storm"], 5);
  scope.publish(4, ["storm lamp"]);
  scope.writer.run("UPDATE scopes SET epoch = epoch + 50000");
  scope.writer.run("DELETE FROM scope_changes");
  check(scope, ["storm", "lamp"], 5);
  scope.hide(1);
  check(scope, ["storm", "lamp"], 5);
});
