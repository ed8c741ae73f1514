import type { Engine } from "../../engine/engine.js";
import type { BlobStore } from "../../interfaces/blob-store.js";
import { indexedVectors } from "../../providers/vectors.js";
import type { JobProblem } from "../../storage/check/check-contents.js";
import type { CheckedRows, CheckRange, DocumentProblem } from "../../storage/check/findings.js";
import type { CheckedUpload, CheckTotals } from "../../storage/check/index.js";
import type { DatabaseProblem, StorageInspection } from "../../storage/check/storage-inspection.js";
import type { Storage } from "../../storage/storage.js";
import { isUnreadable } from "../../storage/unreadable.js";
import type { CallOptions } from "../../types.js";
import type { CheckEvent, CheckFinding, CheckStage, DamagedDocument } from "./check-events.js";
import { checkFile, type FileProblem } from "./check-file.js";

export interface CheckOptions extends CallOptions {
  /**
   * Builds again what is derived from other data, and marks documents that lost content as FAILED, with the reason.
   * Restores texts from their second copy. Deletes nothing but damaged events of jobs. Writes nothing if the database
   * file itself is damaged. @default false
   */
  readonly repair?: boolean | undefined;
}

const ROWS_PER_STEP = 500;
/** A payload may be a megabyte. */
const PAYLOADS_PER_STEP = 20;
const DOCUMENTS_PER_STEP = 50;
const FILES_PER_STEP = 100;
/** The maximum number of rows that are left out at once while they can't be read. */
const MAX_SKIPPED = 64;

/** The last row of a stage, and how many are compared in one step. */
interface Rows {
  readonly total: number;
  readonly limit: number;
}

type RowStep<Problem> = (range: CheckRange, options: CallOptions) => Promise<CheckedRows<Problem>>;
type LostContent = Omit<DocumentProblem, "generation"> & { readonly generation: number | null };

/**
 * Compares what is stored with what it was when it was written, and derived data with its source. Reads rows in small
 * steps, and the database's files and the index of each scope in one snapshot each, so that searches and ingest go on;
 * what they change in the meantime is not reported.
 *
 * @throws KnowledgeBaseError the errors of the storage and of the blob store
 */
export async function* check(engine: Engine, options: CheckOptions = {}): AsyncGenerator<CheckEvent> {
  yield* new Check(engine, options).run();
}

/** Compares what is in a database like {@link check}, without uploaded files and without repairing anything. */
export async function* checkStorage(storage: Storage, options: CallOptions = {}): AsyncGenerator<CheckEvent> {
  yield* new Check({ storage, now: Date.now, blobs: null }, options).run();
}

/** The parts of an engine that a check needs. Without `blobs`, files are not compared. */
type CheckedEngine = Pick<Engine, "storage" | "now"> & { readonly blobs: BlobStore | null };

class Check {
  readonly #engine: CheckedEngine;
  #repair: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #checked = { documents: 0, chunks: 0, files: 0 };
  readonly #damaged = new Map<string, { ingestJobId: string; hasSource: boolean }>();
  /** Whether the file of the database is damaged: then nothing is written, and nothing but a restore helps. */
  #isFileDamaged = false;
  #findings = 0;
  #repaired = 0;

  constructor(engine: CheckedEngine, { repair = false, signal }: CheckOptions) {
    this.#engine = engine;
    this.#repair = repair;
    this.#signal = signal;
  }

  async *run(): AsyncGenerator<CheckEvent> {
    const { check } = this.#engine.storage;
    this.#signal?.throwIfAborted();
    yield* this.#checkDatabase();
    const totals = (await ifReadable(check.getTotals())) ?? UNKNOWN_TOTALS;
    const documents = { total: totals.documents, limit: DOCUMENTS_PER_STEP };
    const rows = { total: totals.chunks, limit: ROWS_PER_STEP };
    const withProvider = (range: CheckRange) => check.documents({ ...range, indexedProvider: indexedVectors.provider });
    yield* this.#checkRows("documents", documents, withProvider, (count) => {
      this.#checked.documents += count;
    });
    yield* this.#checkRows("chunks", rows, check.chunks, (count) => {
      this.#checked.chunks += count;
    });
    yield* this.#checkRows("vectors", rows, check.vectors);
    yield* this.#checkRows("vectors", rows, check.oddVectors);
    const repair = this.#repair;
    // Without a repair nothing is written, since the database may be full or protected.
    const checkUnused = (range: CheckRange) =>
      (repair ? check.repairUnusedVectors : check.unusedVectors)({ ...range, repair, now: this.#engine.now() });
    yield* this.#checkJobs(rows, checkUnused, "rebuild", "vectors");
    yield* this.#checkRows("texts", documents, check.texts);
    const checkSources = (range: CheckRange) => (repair ? check.repairSources : check.sources)({ ...range, repair });
    const checkPayloads = (range: CheckRange) => (repair ? check.repairPayloads : check.payloads)({ ...range, repair });
    const checkEvents = (range: CheckRange) => (repair ? check.repairEvents : check.events)({ ...range, repair });
    yield* this.#checkRows("sources", documents, checkSources);
    yield* this.#checkJobs({ total: totals.jobs, limit: PAYLOADS_PER_STEP }, checkPayloads, "upload-again");
    yield* this.#checkJobs({ total: totals.events, limit: ROWS_PER_STEP }, checkEvents, "rebuild");
    yield* this.#checkIndexes();
    yield* this.#checkCounts();
    if (this.#engine.blobs) yield* this.#checkFiles(this.#engine.blobs, totals);
    const damaged = [...this.#damaged].map(([documentId, rest]): DamagedDocument => ({ documentId, ...rest }));
    const [findings, repaired] = [this.#findings, this.#repaired];
    yield { type: "summary", summary: { checked: this.#checked, findings, repaired, damaged } };
  }

  async *#checkDatabase(): AsyncGenerator<CheckEvent> {
    yield { type: "progress", stage: "database", done: 0, total: 1 };
    const inspection = await this.#engine.storage.inspect();
    try {
      let problems = await inspection.checkDatabase();
      // Again while there are fewer, since an engine may list only some of them at once.
      while (this.#repair && problems.some(isDerived) && !problems.some(isFileProblem)) {
        const before = problems;
        await repairDerived(inspection, before);
        problems = await inspection.checkDatabase();
        const left = new Set(problems.map(({ problem }) => problem));
        const repaired = before.filter(({ problem }) => !left.has(problem));
        for (const { problem } of repaired) yield this.#derivedFinding("database", problem, { isRepaired: true });
        if (repaired.length === 0) break;
      }
      yield* this.#reportDatabase(problems);
    } finally {
      await inspection.close();
    }
    yield { type: "progress", stage: "database", done: 1, total: 1 };
  }

  /** Reports what is wrong in the database's files. If a file is damaged, the rest of the check writes nothing. */
  *#reportDatabase(problems: readonly DatabaseProblem[]): Generator<CheckEvent> {
    this.#isFileDamaged = problems.some(isFileProblem);
    const refusal = this.#isFileDamaged && this.#repair ? ` ${REPAIR_REFUSED}` : "";
    if (this.#isFileDamaged) this.#repair = false;
    for (const each of problems) {
      const { problem } = each;
      if (each.part === "file") yield this.#unreadable("database", `${problem}${refusal}`);
      else if (each.part === "reference") {
        // Nothing is to be changed in a damaged file.
        const message = this.#isFileDamaged ? problem : `${problem} ${each.advice}`;
        yield this.#finding({ ...NO_DOCUMENT, stage: "database", message, remedy: "manual", isRepaired: false });
      } else yield this.#derivedFinding("database", problem, { isRepaired: false });
    }
  }

  /** Runs the steps of a stage that compares the content of documents. */
  async *#checkRows(
    stage: CheckStage,
    rows: Rows,
    step: RowStep<DocumentProblem>,
    count: (rows: number) => void = () => {},
  ): AsyncGenerator<CheckEvent> {
    yield* this.#runSteps(stage, rows, step, count, (problem) => this.#lost(stage, problem, "ingest-again"));
  }

  /** Runs steps that compare what no published document needs, such as what jobs keep about themselves. */
  async *#checkJobs(
    rows: Rows,
    step: RowStep<JobProblem>,
    remedy: CheckFinding["remedy"],
    stage: CheckStage = "sources",
  ): AsyncGenerator<CheckEvent> {
    const report = async ({ namespaceId, problem, isRepaired }: JobProblem) => {
      const finding = { ...NO_DOCUMENT, stage, namespaceId, message: problem } as const;
      return this.#finding({ ...finding, remedy, isRepaired });
    };
    yield* this.#runSteps(stage, rows, step, () => {}, report);
  }

  async *#runSteps<Problem>(
    stage: CheckStage,
    { total, limit }: Rows,
    step: RowStep<Problem>,
    count: (rows: number) => void,
    report: (problem: Problem) => Promise<CheckEvent>,
  ): AsyncGenerator<CheckEvent> {
    let size = limit;
    let skipped = 0;
    for (let after: number | null = 0; after !== null; ) {
      const range: CheckRange = { after, limit: size };
      const result: CheckedRows<Problem> | null = await ifReadable(step(range, { signal: this.#signal }));
      if (result) {
        count(result.rows);
        for (const problem of result.problems) yield await report(problem);
        [size, skipped, after] = [limit, 0, result.last];
        yield { type: "progress", stage, done: Math.min(after ?? total, total), total };
      } else if (size > 1) {
        size = Math.ceil(size / 8);
      } else {
        if (skipped === 0) yield this.#unreadable(stage, `Rows after number ${after} can't be read.`);
        skipped = Math.min(MAX_SKIPPED, 2 * skipped || 1);
        after = after + skipped < total ? after + skipped : null;
      }
    }
  }

  #unreadable(stage: CheckStage, message: string): CheckEvent {
    return this.#finding({ ...NO_DOCUMENT, stage, message, remedy: "restore", isRepaired: false });
  }

  async *#checkIndexes(): AsyncGenerator<CheckEvent> {
    const { storage } = this.#engine;
    const listed = await ifReadable(storage.check.listScopes());
    if (!listed) yield this.#unreadable("index", "The list of scopes can't be read.");
    const scopes = listed ?? [];
    const inspection = await storage.inspect();
    try {
      for (const [index, { id: scopeId, namespaceId }] of scopes.entries()) {
        this.#signal?.throwIfAborted();
        const problems = await ifReadable(inspection.checkScope({ scopeId }));
        if (!problems) yield this.#unreadable("index", `The index of the scope ${scopeId} can't be read.`);
        for (const { part, problem } of problems ?? []) {
          const isRepaired = this.#repair && (await succeeds(inspection.repairScope({ scopeId, part })));
          yield this.#derivedFinding("index", problem, { namespaceId, isRepaired });
        }
        yield { type: "progress", stage: "index", done: index + 1, total: scopes.length };
      }
      yield* this.#checkUsage(inspection);
    } finally {
      await inspection.close();
    }
  }

  async *#checkCounts(): AsyncGenerator<CheckEvent> {
    const { check } = this.#engine.storage;
    const repair = this.#repair;
    const wrong = await ifReadable((repair ? check.repairCrawlCounts : check.crawlCounts)({ repair }));
    if (!wrong) yield this.#unreadable("counts", "The counts of crawled pages can't be read.");
    for (const jobId of wrong ?? [])
      yield this.#derivedFinding("counts", `The pages of the crawl ${jobId} are counted wrongly.`, {
        isRepaired: repair,
      });
    let damaged = 0;
    for (let after: Awaited<ReturnType<typeof check.cache>>["last"] = null; ; ) {
      const run = repair ? check.repairCache : check.cache;
      const step: Awaited<ReturnType<typeof check.cache>> | null = await ifReadable(
        run({ after, limit: ROWS_PER_STEP, repair }),
      );
      if (!step) {
        yield this.#unreadable("counts", "Cached vectors can't be read.");
        break;
      }
      damaged += step.damaged;
      after = step.last;
      if (after === null) break;
      this.#signal?.throwIfAborted();
    }
    if (damaged > 0) {
      const problem = `${damaged} cached vectors are not what was written. They are computed again when they are needed.`;
      yield this.#derivedFinding("counts", problem, { isRepaired: repair });
    }
    yield { type: "progress", stage: "counts", done: 1, total: 1 };
  }

  async *#checkUsage(inspection: StorageInspection): AsyncGenerator<CheckEvent> {
    const wrong = await ifReadable(inspection.checkUsage());
    if (!wrong) yield this.#unreadable("usage", "The recorded usage can't be read.");
    for (const { namespaceId, difference } of wrong ?? []) {
      const { documents, bytes, tokens } = difference;
      const problem =
        `The recorded usage differs from the documents by ${documents} documents, ${bytes} bytes and ${tokens} tokens, ` +
        "so quotas are compared with wrong numbers.";
      const isRepaired = this.#repair && (await succeeds(this.#engine.storage.check.repairUsage({ namespaceId })));
      yield this.#derivedFinding("usage", problem, { namespaceId, isRepaired });
    }
    yield { type: "progress", stage: "usage", done: 1, total: 1 };
  }

  async *#checkFiles(blobs: BlobStore, { uploads: total }: CheckTotals): AsyncGenerator<CheckEvent> {
    const { check } = this.#engine.storage;
    for (let after = 0; ; ) {
      const listing = check.listUploads({ after, limit: FILES_PER_STEP }, { signal: this.#signal });
      const uploads = await ifReadable(listing);
      if (!uploads) {
        yield this.#unreadable("files", "The list of files can't be read.");
        break;
      }
      for (const upload of uploads) {
        const problem = await checkFile(blobs, upload, { signal: this.#signal });
        this.#checked.files++;
        if (problem !== null) yield await this.#fileFinding(upload, problem);
      }
      if (uploads.length < FILES_PER_STEP) break;
      after = uploads.at(-1)!.seq;
      yield { type: "progress", stage: "files", done: after, total };
    }
    yield { type: "progress", stage: "files", done: total, total };
  }

  async #fileFinding(upload: CheckedUpload, { problem, isLost }: FileProblem): Promise<CheckEvent> {
    const { documentId, ingestJobId, namespaceId, fileName } = upload;
    const message = `The stored file ${JSON.stringify(fileName)} ${problem}.`;
    const remedy = isLost ? "upload-again" : "manual";
    const finding = { ...NO_DOCUMENT, namespaceId, stage: "files", message, remedy, isRepaired: false } as const;
    if (documentId === null || ingestJobId === null) return this.#finding(finding);
    const row = await ifReadable(this.#engine.storage.documents.getForDownload({ documentId }));
    const document = { documentId, documentName: row?.name ?? fileName };
    if (!isLost) return this.#finding({ ...finding, ...document });
    // What is published was made of the whole file, so it stays as it is.
    const lost = { ...document, ingestJobId, namespaceId, page: null, generation: null, problem: message };
    return this.#lost("files", lost, remedy);
  }

  /** Reports lost content of a document. With `repair`, fails the document. */
  async #lost(stage: CheckStage, problem: LostContent, remedy: CheckFinding["remedy"]): Promise<CheckEvent> {
    const { documentId, documentName, namespaceId, ingestJobId, generation, page } = problem;
    const isSource = stage === "sources";
    if (problem.isRepaired) {
      const finding = { stage, message: problem.problem, namespaceId, documentId, documentName, page };
      return this.#finding({ ...finding, remedy: "upload-again", isRepaired: true });
    }
    const known = this.#damaged.get(documentId);
    const hasSource = stage !== "sources" && stage !== "files" && (known?.hasSource ?? true);
    this.#damaged.set(documentId, { ingestJobId, hasSource });
    const again = remedy === "ingest-again" ? "Ingest the document again." : "Upload the file again.";
    // A document whose source alone is damaged is sound as it was published.
    if (this.#repair && generation !== null && !isSource) {
      const error = `${problem.problem} ${again}`;
      await this.#engine.storage.documents.markDamaged({ documentId, generation, error, now: this.#engine.now() });
    }
    const message = problem.problem;
    return this.#finding({
      ...{ stage, message, namespaceId, documentId, documentName, page },
      remedy: isSource ? "upload-again" : remedy,
      isRepaired: false,
    });
  }

  #derivedFinding(
    stage: CheckStage,
    message: string,
    { namespaceId = null, isRepaired }: { readonly namespaceId?: string | null; readonly isRepaired: boolean },
  ): CheckEvent {
    return this.#finding({ ...NO_DOCUMENT, stage, message, namespaceId, remedy: "rebuild", isRepaired });
  }

  #finding(finding: CheckFinding): CheckEvent {
    this.#findings++;
    if (finding.isRepaired) this.#repaired++;
    // A stored file is no part of the database, so that it can be given again.
    const remedy = this.#isFileDamaged && finding.stage !== "files" ? "restore" : finding.remedy;
    return { type: "finding", finding: { ...finding, remedy } };
  }
}

function isDerived({ part }: DatabaseProblem): boolean {
  return part === "index" || part === "keywords";
}

function isFileProblem({ part }: DatabaseProblem): boolean {
  return part === "file";
}

async function repairDerived(inspection: StorageInspection, problems: readonly DatabaseProblem[]): Promise<void> {
  const indexes = new Set(problems.flatMap((each) => (each.part === "index" ? [each.index] : [])));
  const scopes = new Set(problems.flatMap((each) => (each.part === "keywords" ? [each.scopeId] : [])));
  for (const index of indexes) await succeeds(inspection.repairIndex({ index }));
  for (const scopeId of scopes) await succeeds(inspection.repairScope({ scopeId, part: "keywords" }));
}

/** Returns false if a damaged database can't be written in the damaged place. */
async function succeeds(writing: Promise<void>): Promise<boolean> {
  return (await ifReadable(writing.then(() => true))) ?? false;
}

/** Returns `null` if a damaged database can't be read. */
async function ifReadable<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading;
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

const REPAIR_REFUSED =
  "Nothing is repaired, since a write to a damaged file may destroy what is sound in it: copy the directory, then " +
  "restore a backup, or export what can be read.";
/** Of a database whose tables can't be read as a whole. Only the progress needs them, and what can't be read. */
const UNKNOWN_TOTALS: CheckTotals = { documents: 0, chunks: 0, uploads: 0, jobs: 0, events: 0 };
const NO_DOCUMENT = { namespaceId: null, documentId: null, documentName: null, page: null };
