import { createReadStream, existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { KnowledgeBaseError } from "../errors.js";
import type { Judgements } from "./metrics.js";

/** A document of a test collection. */
export interface CollectionDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** A test collection: documents, queries and relevance judgements. */
export interface Collection {
  /** The name of the collection's folder. */
  readonly name: string;
  readonly documents: readonly CollectionDocument[];
  /** Only queries that have judgements. */
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  /** The relevance judgements of each query, by query id. */
  readonly judgements: ReadonlyMap<string, Judgements>;
}

/**
 * Reads a folder in the BEIR layout: `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`) and
 * `qrels.tsv` or `qrels/test.tsv` (query id, document id, grade; a header line is skipped).
 * @throws KnowledgeBaseError `not_found` for a missing file, `invalid_input` with file and line for a malformed one
 */
export async function readCollection(directory: string): Promise<Collection> {
  const root = resolve(directory);
  const documents: CollectionDocument[] = [];
  for await (const { record, location } of readRecords(findFile(root, "corpus.jsonl"))) {
    documents.push({
      id: requireText(record, "_id", location),
      title: record.title === undefined || record.title === null ? "" : requireText(record, "title", location),
      text: requireText(record, "text", location),
    });
  }
  const judgements = await readJudgements(findFile(root, "qrels.tsv", join("qrels", "test.tsv")));
  const queries: { id: string; text: string }[] = [];
  for await (const { record, location } of readRecords(findFile(root, "queries.jsonl"))) {
    const query = { id: requireText(record, "_id", location), text: requireText(record, "text", location) };
    if (judgements.has(query.id)) queries.push(query);
  }
  return { name: basename(root), documents, queries, judgements };
}

function findFile(root: string, ...candidates: string[]): string {
  const found = candidates.map((name) => join(root, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new KnowledgeBaseError("not_found", `${root} has no ${candidates.join(" or ")}: it is not a BEIR collection`);
}

interface RecordLine {
  readonly record: Readonly<Record<string, unknown>>;
  /** `file:line`, for error messages. */
  readonly location: string;
}

async function* readRecords(path: string): AsyncGenerator<RecordLine> {
  for await (const { line, location } of readLines(path)) {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch (cause) {
      throw new KnowledgeBaseError("invalid_input", `${location} is not JSON`, { cause });
    }
    if (typeof record !== "object" || record === null || Array.isArray(record))
      throw new KnowledgeBaseError("invalid_input", `${location} is not a JSON object`);
    yield { record: record as Record<string, unknown>, location };
  }
}

async function readJudgements(path: string): Promise<Map<string, Map<string, number>>> {
  const judgements = new Map<string, Map<string, number>>();
  for await (const { line, location, lineNumber } of readLines(path)) {
    const [query, document, grade] = line.split("\t");
    if (query === undefined || document === undefined || grade === undefined || !Number.isFinite(Number(grade))) {
      if (lineNumber === 1) continue;
      throw new KnowledgeBaseError("invalid_input", `${location} must be a query id, a document id and a grade`);
    }
    const grades = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, grades.set(document, Number(grade)));
  }
  return judgements;
}

async function* readLines(path: string): AsyncGenerator<{ line: string; lineNumber: number; location: string }> {
  let lineNumber = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    lineNumber++;
    if (line.trim() !== "") yield { line, lineNumber, location: `${path}:${lineNumber}` };
  }
}

function requireText(record: Readonly<Record<string, unknown>>, field: string, location: string): string {
  const value = record[field];
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new KnowledgeBaseError("invalid_input", `${location} has no text in the field "${field}"`);
}
