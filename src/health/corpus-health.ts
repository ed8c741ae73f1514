import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import type { IterateOptions, ListOptions } from "../resources/namespaces.js";
import { toTimestamp } from "../resources/records.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { type Access, ownerOf } from "../storage/records/access.js";
import type { FaultyDocumentRow } from "../storage/records/document-health.js";
import type { PassagePlace } from "../storage/records/near-duplicates.js";
import type { RowRange } from "../storage/records/range.js";
import type { CallOptions, ListPage } from "../types.js";
import {
  type HEALTH_FINDINGS,
  healthKindSchema,
  healthListSchema,
  healthReportSchema,
} from "../validation/health-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { HealthCheck } from "./check-passages.js";

const DAY_MS = 24 * 60 * 60_000;

export interface HealthReportOptions extends CallOptions {
  /** Days after which a document is stale that was neither ingested nor found unchanged, 1 to 36500. @default 365 */
  readonly staleAfterDays?: number | undefined;
  /**
   * How long passages that are new since the last report may be checked, 0 to 600 seconds. A step that was begun is
   * finished: among 1,000,000 passages, the longest takes half a minute. @default 10
   */
  readonly maxSeconds?: number | undefined;
  /**
   * The checks to make. Looking for near-duplicates takes about a second for 10,000 passages, searching for each passage
   * ten times as long. @default both
   */
  readonly checks?: readonly HealthCheck[] | undefined;
}

/** How many findings of each kind a namespace has. Only published passages count. */
export interface HealthReport {
  /** Whether all passages have been checked by the requested `checks`. If not, the next report goes on. */
  readonly isComplete: boolean;
  readonly nearDuplicates: number;
  readonly unfindablePassages: number;
  /** Of those that the option `retention.unansweredQuestionDays` keeps: by default none. */
  readonly unansweredQuestions: number;
  readonly staleDocuments: number;
  readonly badlyParsedDocuments: number;
}

/** A passage in a finding. */
export interface HealthPassage {
  readonly documentId: string;
  readonly documentName: string | null;
  /** The id that hits of a search have. */
  readonly chunkId: string;
  readonly text: string;
}

/** A passage of which at least 40 % of the words, those of both together, are those of an earlier one too. */
export interface NearDuplicate {
  readonly passage: HealthPassage;
  /** The most similar passage before it, by the order of documents. */
  readonly original: HealthPassage;
  /** The share of their different words that both have, function words left out, 0.4 to 1. */
  readonly similarity: number;
}

/** A passage that is not among the first ten of a keyword search for its heading and first sentence. */
export interface UnfindablePassage {
  readonly passage: HealthPassage;
  readonly question: string;
}

/** A question that found no passage, or to which no answer was found. */
export interface UnansweredQuestion {
  readonly question: string;
  readonly askedBy: "search" | "ask";
  /** ISO 8601. */
  readonly askedAt: string;
}

/** A document whose content is old, or whose parser had warnings or found no text. */
export interface DocumentFinding {
  readonly documentId: string;
  readonly documentName: string | null;
  readonly warnings: readonly string[];
  readonly totalChunks: number;
  readonly totalPages: number;
  /** When the content was ingested, or last found unchanged at its source, in ISO 8601. */
  readonly currentAt: string;
}

/** The findings of each kind. */
export interface HealthFindings {
  readonly "near-duplicates": NearDuplicate;
  readonly "unfindable-passages": UnfindablePassage;
  readonly "unanswered-questions": UnansweredQuestion;
  readonly "stale-documents": DocumentFinding;
  readonly "badly-parsed-documents": DocumentFinding;
}

export type HealthFindingKind = (typeof HEALTH_FINDINGS)[number];

export interface ListHealthOptions extends ListOptions, Pick<HealthReportOptions, "staleAfterDays"> {}

/** What is wrong with the documents of one organization's namespaces. */
export class CorpusHealth {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Checks the passages that are new since the last report, for about `maxSeconds`, and counts all findings. With the
   * option `readOnly`, nothing is checked.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
   */
  async report(namespace: string, options: HealthReportOptions = {}): Promise<HealthReport> {
    const { signal, ...input } = options;
    const { staleAfterDays, maxSeconds, checks } = parseInput(healthReportSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    const { checkPassages } = await import("./check-passages.js");
    const isComplete = await checkPassages(engine, access, { checks, ms: maxSeconds * 1000, signal });
    const owner = ownerOf(access);
    const { health } = engine.storage;
    const now = engine.now();
    return {
      isComplete,
      nearDuplicates: await health.countDuplicates(owner, { signal }),
      unfindablePassages: await health.countUnfindable(owner, { signal }),
      unansweredQuestions: await health.countUnanswered({ ...owner, now }, { signal }),
      staleDocuments: await health.countFaultyDocuments(
        { ...owner, fault: { staleBefore: now - staleAfterDays * DAY_MS } },
        { signal },
      ),
      badlyParsedDocuments: await health.countFaultyDocuments({ ...owner, fault: "badlyParsed" }, { signal }),
    };
  }

  /**
   * Lists the findings of one kind, in the order in which they or their documents were added. Checks nothing: call
   * `report` before.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
   */
  async list<Kind extends HealthFindingKind>(
    namespace: string,
    kind: Kind,
    options: ListHealthOptions = {},
  ): Promise<ListPage<HealthFindings[Kind]>> {
    const { signal, ...input } = options;
    parseInput(healthKindSchema, { kind });
    const { staleAfterDays, ...request } = parseInput(healthListSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    const list = FINDINGS[kind];
    const staleBefore = engine.now() - staleAfterDays * DAY_MS;
    const page = await fetchPage(
      `${kind} of ${access.namespaceId}`,
      request,
      (range) => list({ engine, access, staleBefore, range, signal }),
      ({ finding }) => finding,
    );
    return page as ListPage<HealthFindings[Kind]>;
  }

  /** Iterates over all findings of one kind, fetching one page at a time. */
  iterate<Kind extends HealthFindingKind>(
    namespace: string,
    kind: Kind,
    options: IterateOptions<ListHealthOptions> = {},
  ): AsyncIterable<HealthFindings[Kind]> {
    return iteratePages((cursor) => this.list(namespace, kind, { ...options, cursor }));
  }
}

interface FindingQuery extends CallOptions {
  readonly engine: Engine;
  readonly access: Access;
  readonly staleBefore: number;
  readonly range: RowRange;
}

type Findings<Finding> = (
  query: FindingQuery,
) => Promise<readonly { readonly seq: number; readonly finding: Finding }[]>;

const FINDINGS: { readonly [Kind in HealthFindingKind]: Findings<HealthFindings[Kind]> } = {
  async "near-duplicates"({ engine, access, range, signal }) {
    const rows = await engine.storage.health.listDuplicates({ ...ownerOf(access), range }, { signal });
    const found = rows.map((row) => ({
      row,
      passage: placeOf(row),
      original: {
        documentSeq: row.original_document_seq,
        generation: row.original_generation,
        ordinal: row.original_ordinal,
      },
    }));
    const textOf = await readTexts(
      engine,
      found.flatMap(({ passage, original }) => [passage, original]),
    );
    return found.map(({ row, passage, original }) => ({
      seq: row.seq,
      finding: {
        passage: toPassage(row.document_id, row.name, passage, textOf),
        original: toPassage(row.original_id, row.original_name, original, textOf),
        similarity: row.similarity_permille / 1000,
      },
    }));
  },
  async "unfindable-passages"({ engine, access, range, signal }) {
    const rows = await engine.storage.health.listUnfindable({ ...ownerOf(access), range }, { signal });
    const textOf = await readTexts(engine, rows.map(placeOf));
    return rows.map((row) => ({
      seq: row.seq,
      finding: { passage: toPassage(row.document_id, row.name, placeOf(row), textOf), question: row.question },
    }));
  },
  async "unanswered-questions"({ engine, access, range, signal }) {
    const query = { ...ownerOf(access), now: engine.now(), range };
    const rows = await engine.storage.health.listUnanswered(query, { signal });
    return rows.map(({ seq, question, asked_by: askedBy, asked_at: askedAt }) => ({
      seq,
      finding: { question, askedBy, askedAt: toTimestamp(askedAt) },
    }));
  },
  async "stale-documents"({ engine, access, staleBefore, range, signal }) {
    const query = { ...ownerOf(access), fault: { staleBefore }, range };
    return (await engine.storage.health.listFaultyDocuments(query, { signal })).map(toDocumentFinding);
  },
  async "badly-parsed-documents"({ engine, access, range, signal }) {
    const query = { ...ownerOf(access), fault: "badlyParsed", range } as const;
    return (await engine.storage.health.listFaultyDocuments(query, { signal })).map(toDocumentFinding);
  },
};

function placeOf(row: {
  readonly document_seq: number;
  readonly generation: number;
  readonly ordinal: number;
}): PassagePlace {
  return { documentSeq: row.document_seq, generation: row.generation, ordinal: row.ordinal };
}

/** Reads the texts of passages. The text of a passage that has just been removed is empty. */
async function readTexts(engine: Engine, places: readonly PassagePlace[]): Promise<(place: PassagePlace) => string> {
  const keyOf = ({ documentSeq, ordinal }: Pick<PassagePlace, "documentSeq" | "ordinal">) =>
    `${documentSeq} ${ordinal}`;
  const ranges = places.map(({ ordinal, ...place }) => ({ ...place, first: ordinal, last: ordinal }));
  const passages = await engine.storage.health.readTexts({ ranges });
  const texts = new Map(passages.map((passage) => [keyOf(passage), passage.text]));
  return (place) => texts.get(keyOf(place)) ?? "";
}

function toPassage(
  documentId: string,
  documentName: string | null,
  place: PassagePlace,
  textOf: (place: PassagePlace) => string,
): HealthPassage {
  return { documentId, documentName, chunkId: publicChunkId(documentId, place.ordinal), text: textOf(place) };
}

function toDocumentFinding(row: FaultyDocumentRow): { readonly seq: number; readonly finding: DocumentFinding } {
  return {
    seq: row.seq,
    finding: {
      documentId: row.id,
      documentName: row.name,
      warnings: JSON.parse(row.warnings),
      totalChunks: row.passages,
      totalPages: row.pages,
      currentAt: toTimestamp(row.current_at),
    },
  };
}
