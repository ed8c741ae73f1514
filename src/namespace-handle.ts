import type { Answer } from "./answer/answer.js";
import { AnswerRun } from "./answer/answer-run.js";
import type { AskOptions } from "./answer/ask.js";
import type { CheckedCitation } from "./answer/verify-citations.js";
import type { BundleContents, ExportOptions } from "./bundle/export.js";
import { otherSetOf } from "./engine/namespace-drivers.js";
import { narrowPrincipals, requireOwner } from "./engine/principals.js";
import {
  type NamespaceOwner,
  type NamespaceResolver,
  namespaceResolver,
  withCachedNamespace,
} from "./engine/resolve-namespace.js";
import { KnowledgeBaseError } from "./errors.js";
import type { ModelHandles } from "./evaluate/compare-models.js";
import type { EvaluateReembeddingOptions, ReembeddingEvaluation } from "./evaluate/evaluate-reembedding.js";
import type { EvaluatedNamespace } from "./evaluate/evaluated-namespace.js";
import type { EvaluationSummary, RunEvaluationOptions } from "./evaluate/evaluations.js";
import type { GoldenGuardInput } from "./evaluate/golden-guard.js";
import type {
  ClickQuestionsOptions,
  GeneratedQuestionCounts,
  GenerateQuestionsOptions,
  MakeQuestionsOptions,
} from "./evaluate/make-questions.js";
import type { IngestRun } from "./events/ingest-run.js";
import { PendingRun } from "./events/pending-run.js";
import {
  CorpusHealth,
  type HealthFindingKind,
  type HealthReportOptions,
  type ListHealthOptions,
} from "./health/corpus-health.js";
import { recordUnanswered } from "./health/unanswered.js";
import type { Bytes } from "./interfaces/blob-store.js";
import { type AddClickInput, Clicks } from "./resources/clicks.js";
import type { DocumentTextOptions } from "./resources/document-text.js";
import {
  type DocumentChunksOptions,
  Documents,
  type ListDocumentsOptions,
  type UpdateDocumentInput,
} from "./resources/documents.js";
import type { DownloadOptions } from "./resources/downloads.js";
import { type AddFeedbackInput, FeedbackResource, type ListFeedbackOptions } from "./resources/feedback.js";
import {
  type AddGoldenQuestionInput,
  type GoldenQuestion,
  type GoldenQuestionCounts,
  GoldenQuestions,
  type ListGoldenQuestionsOptions,
  type UpdateGoldenQuestionInput,
} from "./resources/golden-questions.js";
import { HostingSettingsResource } from "./resources/hosting.js";
import type { HostingPatch } from "./resources/hosting-settings.js";
import { type IngestInput, type IngestOptions, toLocalJob } from "./resources/ingest-input.js";
import {
  type CreateIngestJobInput,
  IngestJobs,
  type ListIngestJobsOptions,
  type ReingestOptions,
} from "./resources/ingest-jobs.js";
import type { IterateOptions, ListOptions } from "./resources/namespaces.js";
import {
  type DiscardOptions,
  type NewVectors,
  type ReembeddingOptions,
  Reembeddings,
} from "./resources/reembeddings.js";
import { type CreateUploadInput, Uploads } from "./resources/uploads.js";
import type { DocumentExplanation } from "./search/document-explanation.js";
import { type ExplainOptions, explain } from "./search/explain.js";
import { countFacets, type Facet, type FacetOptions } from "./search/facets.js";
import { type ListPassagesOptions, listPassages, type PassagePage } from "./search/list-passages.js";
import { type SearchOptions, search } from "./search/search.js";
import type { SearchHit } from "./search/search-hit.js";
import { type SimilarOptions, similar } from "./search/similar.js";
import type { SearchTarget } from "./search/sources.js";
import { iteratePages } from "./storage/pagination.js";
import type { Access } from "./storage/records/access.js";
import type { GuardApproval } from "./storage/records/golden-guards.js";
import type { SyncedFolder, SyncOptions } from "./sync/sync-plan.js";
import type { SyncRun } from "./sync/sync-run.js";
import type { WatchOptions } from "./sync/watch-folder.js";
import type { CallOptions, Chunk, Metadata, ReadOptions, Reembedding } from "./types.js";
import { exportOptionsSchema } from "./validation/bundle-schema.js";
import { parseInput } from "./validation/parse-input.js";
import { parseTenantId } from "./validation/tenant-id.js";

/** Options of a cut-over. */
export interface CutOverOptions extends CallOptions {
  /** Whether to cut over without asking the guard of golden questions. @default false */
  readonly ignoreGuard?: boolean | undefined;
}

/**
 * One namespace, or one tenant of it. Immutable and cheap to create: nothing is looked up before a method is called.
 *
 * The type parameter is the type of the metadata that `ingest` takes, `search` filters by and hits return. It is not
 * checked at run time.
 */
export class NamespaceHandle<M = Metadata> {
  /** The namespace's id or slug, as given by the caller. */
  readonly ref: string;
  /** If `null`, `ingest` and `search` use the default partition; lists and reads by id include all tenants' records. */
  readonly tenantId: string | null;
  /** The principals that the handle is bound to, see {@link visibleTo}; `null` for the owner, who sees all documents. */
  readonly principals: readonly string[] | null;
  readonly #owner: NamespaceOwner;

  /** @internal */
  constructor(
    ref: string,
    tenantId: string | null,
    owner: NamespaceOwner,
    principals: readonly string[] | null = null,
  ) {
    this.ref = ref;
    this.tenantId = tenantId;
    this.principals = principals;
    this.#owner = owner;
  }

  /**
   * Returns the same namespace, restricted to one tenant.
   * @param id 1 to 64 of the characters A-Z, a-z and 0-9; {@link tenantIdOf} derives such an id from any name
   * @throws KnowledgeBaseError `invalid_input` for any other id
   */
  tenant(id: string): NamespaceHandle<M> {
    return new NamespaceHandle<M>(this.ref, parseTenantId(id), this.#owner, this.principals);
  }

  /**
   * Returns the same namespace as principals see it, such as a user and the user's groups: with the documents that allow
   * one of them, and those that allow all. The handle can only read documents, add feedback and report clicks. Its calls may name fewer
   * principals, but no others.
   *
   * @param principals At most 1000. With an empty list, only documents that allow all are seen.
   * @throws KnowledgeBaseError `invalid_input`, `forbidden` for a principal that this handle is not bound to
   * @example
   * const mine = handbook.visibleTo(["user:7", "group:eng"]);
   * const hits = await mine.search("Who is on call?");
   */
  visibleTo(principals: readonly string[]): NamespaceHandle<M> {
    return new NamespaceHandle<M>(this.ref, this.tenantId, this.#owner, narrowPrincipals(this.principals, principals));
  }

  /**
   * Queues content as one job. The promise resolves with its run once the job is stored; `done()` waits until it has
   * ended. Local files are copied first, so later changes to them have no effect.
   *
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `conflict` if the external id is taken
   * @example
   * await handbook.ingest({ file: "manual.pdf" }).done({ throwOnFailure: true });
   * await handbook.ingest({ files: "docs/*.md" }, { metadata: { year: 2026 } }).done();
   * await handbook.ingest({ type: "TEXT", text: "The lamp is lit before sunset." }, { dedupe: true }).done();
   *
   * const run = await handbook.ingest({ type: "CRAWL", url: "https://example.com/docs", limit: 200 });
   * for await (const event of run) console.log(event.type, event.counts.documents);
   */
  ingest(input: IngestInput<M>, options: IngestOptions<M> = {}): PendingRun<IngestRun<M>> {
    return PendingRun.of(async () => {
      const { signal } = options;
      const jobs = new IngestJobs<M>(this.#resolveAsOwner);
      const existingRun = await jobs.followExisting(this.ref, options);
      if (existingRun) return existingRun;
      const { job, sourcePaths } = await toLocalJob<M>(input, options, (file) => this.uploads.put(file, { signal }));
      return jobs.start(this.ref, job, { signal, sourcePaths });
    });
  }

  /**
   * Syncs the namespace with a folder: ingests new files, ingests changed files again and deletes the documents of
   * deleted files. The promise resolves once the work is queued; `done()` waits until the work has ended. Documents
   * keep their ids, and each has its path relative to the folder as `path` in its metadata, unless the caller sets that
   * key.
   *
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace or the folder, `conflict` (retryable) if
   * another sync of the folder is running, `conflict` if the folder was replaced by an empty one (see `allowEmpty`)
   * @example
   * const { added, changed, deleted, failed } = await handbook.sync({ dir: "docs", include: "*.md" }).done();
   */
  sync(folder: SyncedFolder, options: SyncOptions<M> = {}): PendingRun<SyncRun<M>> {
    return PendingRun.of(async () => {
      requireOwner(this);
      const { syncNamespaceFolder } = await import("./sync/sync-handle.js");
      return syncNamespaceFolder<M>(this.#createSyncTarget(options), folder, options);
    });
  }

  /**
   * Syncs a folder, and syncs it again whenever it changes, until the loop ends or the signal is aborted. Yields the
   * first sync and each later sync that found a change. The folder isn't read again until the loop requests the next
   * sync.
   *
   * @example
   * for await (const run of handbook.watch({ dir: "docs" })) console.log((await run.done()).changed);
   */
  async *watch(folder: SyncedFolder, options: SyncOptions<M> & WatchOptions = {}): AsyncGenerator<SyncRun<M>, never> {
    requireOwner(this);
    const { watchNamespaceFolder } = await import("./sync/sync-handle.js");
    return yield* watchNamespaceFolder<M>(this.#createSyncTarget(options), folder, options);
  }

  /**
   * Writes the namespace to one file, a bundle: its published documents of all tenants as they are at one moment, with
   * passages and vectors, and the configuration without keys. Other calls go on. Import it with `import` of an
   * organization. Vectors in a hosted store, failed documents, feedback, clicks, golden questions, evaluations, the
   * readers' queries that are kept, hosting and the states of crawls and synced folders are not exported.
   *
   * @throws KnowledgeBaseError `not_ready` that names everything that is damaged, unless `skipDamaged` leaves it out;
   * `store_failed` if the file can't be written; `unsupported` with `database` and for a single tenant
   * @example
   * await handbook.export("handbook.lorebase", { includeOriginals: true });
   */
  async export(file: string, options: ExportOptions = {}): Promise<BundleContents> {
    if (this.tenantId !== null)
      throw new KnowledgeBaseError("unsupported", "A single tenant cannot be exported: export the whole namespace.");
    const { signal, ...rest } = parseInput(exportOptionsSchema, options);
    const { engine, access } = await this.#resolveAsOwner(this.ref, signal);
    const { exportNamespace } = await import("./bundle/export.js");
    return exportNamespace(engine, access, file, { ...rest, signal });
  }

  #createSyncTarget({ signal }: CallOptions) {
    const { ref } = this;
    return {
      resolve: () => this.#resolveAsOwner(ref),
      put: (file: { fileName: string; body: Bytes }) => this.uploads.put(file, { signal }),
      getJob: (id: string, call: CallOptions) => this.ingestJobs.get(id, call),
    };
  }

  /**
   * Finds the passages that answer a query, best first.
   * @param query 1 to 8000 characters. Keyword search uses the first 255 distinct words, `"phrases"` and prefixes
   * (`light*`).
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `provider_failed` or `store_failed` if
   * the embedding model, the reranker or the vector store fails
   * @example
   * const hits = await handbook.search("When is the lamp lit?", { topK: 5, filter: { year: { $gte: 2025 } } });
   * for (const hit of hits) console.log(hit.score.toFixed(2), formatCitation(hit), hit.text);
   */
  async search(query: string, options: SearchOptions<M> = {}): Promise<readonly SearchHit<M>[]> {
    const { engine, access, hits } = await this.#find(query, options);
    if (hits.length === 0) recordUnanswered(engine, access, query, "search");
    engine.querySample.add(access, query);
    return hits;
  }

  #find(query: string, { principals, ...options }: SearchOptions<M>) {
    return withCachedNamespace(this.#owner, this.#requester(principals), this.ref, async (engine, access) => {
      return { engine, access, hits: await search<M>(engine, toSearchTarget(access), query, options) };
    });
  }

  /**
   * Finds the passages whose meaning is nearest to a passage, best first, without the passage itself. Of a passage longer than
   * 8000 characters, its beginning counts.
   *
   * @param passageId The `id` of a hit.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, the document or the passage, and the errors
   * of `search`
   * @example
   * const [hit] = await handbook.search("When is the lamp lit?");
   * if (hit) console.log(await handbook.similar(hit.id, { perDocument: 1 }));
   */
  async similar(
    passageId: string,
    { principals, ...options }: SimilarOptions<M> = {},
  ): Promise<readonly SearchHit<M>[]> {
    return withCachedNamespace(this.#owner, this.#requester(principals), this.ref, (engine, access) => {
      return similar<M>(engine, access, toSearchTarget(access), passageId, options);
    });
  }

  /**
   * Counts documents and passages by the values of metadata keys, such as for a list of choices beside hits: with the
   * same filter, the passages counted are those that a search may find.
   * @param keys 1 to 20 keys of metadata. `filename`, `url`, `path` and `headings` are among them; `documentId`,
   * `page_number` and others that the engine computes are not.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
   * @example
   * const facets = await handbook.facets(["area", "tags"], { filter: { year: { $gte: 2025 } } });
   * for (const { key, values } of facets) for (const { value, documents } of values) console.log(key, value, documents);
   */
  async facets(keys: readonly string[], { principals, ...options }: FacetOptions<M> = {}): Promise<readonly Facet[]> {
    return withCachedNamespace(this.#owner, this.#requester(principals), this.ref, (engine, access) => {
      return countFacets<M>(engine, toSearchTarget(access).scope, keys, options);
    });
  }

  /**
   * Answers a question from the documents, with citations: with the text of a language model if one is configured, else
   * with sentences quoted word for word. If the documents don't answer the question, `isAnswered` is false and
   * `passages` are the closest ones. `await` gives the answer, `for await` its events.
   *
   * @param question 1 to 8000 characters.
   * @throws KnowledgeBaseError the errors of `search`, `conflict` (retryable) if the documents kept changing,
   * `provider_failed` if the language model fails
   * @example
   * const { text, citations } = await handbook.ask("When is the lamp lit?");
   * for (const { quote, documentId, page } of citations) console.log(quote, documentId, page);
   */
  ask(question: string, { principals, ...options }: AskOptions<M> = {}): AnswerRun<M> {
    const [ref, resolve] = [this.ref, this.#resolve];
    return new AnswerRun<M>(async function* (signal) {
      const { engine, access } = await resolve(ref, signal, principals);
      const { ask } = await import("./answer/ask.js");
      const answer = yield* ask<M>(engine, toSearchTarget(access), question, { ...options, signal });
      if (!answer.isAnswered) recordUnanswered(engine, access, question, "ask");
      // What continues a conversation can't be searched for alone.
      if (!options.history?.length) engine.querySample.add(access, question);
      return answer;
    }, options.signal);
  }

  /**
   * Compares the citations of an answer with the current documents, in order. The citations of a new answer are
   * verified; the documents of a stored answer may have changed.
   *
   * @throws KnowledgeBaseError `invalid_input` if a citation lacks a field
   */
  async verifyCitations(
    { citations }: Pick<Answer<M>, "citations">,
    options: ReadOptions = {},
  ): Promise<readonly CheckedCitation[]> {
    const { engine, access } = await this.#resolve(this.ref, options.signal, options.principals);
    const { verifyCitations } = await import("./answer/verify-citations.js");
    return verifyCitations(engine, access, citations, { signal: options.signal });
  }

  /**
   * Runs a search and explains its result for one document: its rank among the hits, or the stage that dropped it, with
   * the scores of each stage. A reranker scores all candidates for this.
   *
   * @throws KnowledgeBaseError `not_found` for the document, `conflict` (retryable) if the content kept changing
   * @example
   * const explanation = await handbook.explain("When is the lamp lit?", { documentId: "doc_1" });
   */
  async explain(query: string, { principals, ...options }: ExplainOptions<M>): Promise<DocumentExplanation> {
    const { engine, access } = await this.#resolve(this.ref, undefined, principals);
    return explain<M>(engine, access, toSearchTarget(access), query, options);
  }

  get ingestJobs() {
    const jobs = new IngestJobs<M>(this.#resolveAsOwner);
    const { ref } = this;
    return {
      create: (input: CreateIngestJobInput<M>, options?: CallOptions) => jobs.create(ref, input, options),
      get: (id: string, options?: CallOptions) => jobs.get(ref, id, options),
      list: (options?: ListIngestJobsOptions) => jobs.list(ref, options),
      iterate: (options?: IterateOptions<ListIngestJobsOptions>) => jobs.iterate(ref, options),
      watch: (id: string, options?: CallOptions) => jobs.watch(ref, id, options),
      reingest: (id: string, options?: ReingestOptions) => jobs.reingest(ref, id, options),
      cancel: (id: string, options?: CallOptions) => jobs.cancel(ref, id, options),
      delete: (id: string, options?: CallOptions) => jobs.delete(ref, id, options),
    };
  }

  get documents() {
    const documents = new Documents<M>(this.#resolve);
    const { ref } = this;
    return {
      get: (id: string, options?: ReadOptions) => documents.get(ref, id, options),
      list: (options?: ListDocumentsOptions) => documents.list(ref, options),
      iterate: (options?: IterateOptions<ListDocumentsOptions>) => documents.iterate(ref, options),
      chunks: (id: string, options?: DocumentChunksOptions) => documents.chunks(ref, id, options),
      text: (id: string, options?: DocumentTextOptions) => documents.text(ref, id, options),
      file: (id: string, options?: DownloadOptions) => documents.file(ref, id, options),
      chunksDownloadUrl: (id: string, options?: ReadOptions) => documents.chunksDownloadUrl(ref, id, options),
      fileDownloadUrl: (id: string, options?: ReadOptions) => documents.fileDownloadUrl(ref, id, options),
      update: (id: string, input: UpdateDocumentInput, options?: CallOptions) =>
        documents.update(ref, id, input, options),
      delete: (id: string, options?: CallOptions) => documents.delete(ref, id, options),
    };
  }

  /**
   * The published passages, or those that a filter matches, without a query: page by page, in the order of a metadata key or of
   * their documents.
   *
   * @example
   * const newest = { filter: { area: "cove" }, orderBy: { key: "year" }, onePerDocument: true } as const;
   * const { items, nextCursor, total } = await handbook.passages.list({ ...newest, includeTotal: true });
   * for await (const { text, metadata } of handbook.passages.iterate(newest)) console.log(metadata.year, text);
   */
  get passages() {
    const list = (options: ListPassagesOptions<M> = {}): Promise<PassagePage<M>> => {
      const { principals, ...rest } = options;
      return withCachedNamespace(this.#owner, this.#requester(principals), this.ref, (engine, access) => {
        return listPassages<M>(engine, toSearchTarget(access).scope, rest);
      });
    };
    return {
      list,
      iterate: (options: Omit<ListPassagesOptions<M>, "cursor"> = {}): AsyncIterable<Chunk<M>> =>
        iteratePages((cursor) => list({ ...options, cursor })),
    };
  }

  get uploads() {
    const uploads = new Uploads(this.#resolveAsOwner);
    const { ref } = this;
    return {
      create: (file: CreateUploadInput, options?: CallOptions) => uploads.create(ref, file, options),
      createBatch: (files: readonly CreateUploadInput[], options?: CallOptions) =>
        uploads.createBatch(ref, files, options),
      put: (file: { fileName: string; contentType?: string | undefined; body: Bytes }, options?: CallOptions) =>
        uploads.put(ref, file, options),
    };
  }

  /** Readers' ratings of answers. The newest 10,000 of the namespace, including those of all its tenants, are kept. */
  get feedback() {
    const feedback = new FeedbackResource(this.#resolveAsOwner);
    const { ref } = this;
    return {
      add: (input: AddFeedbackInput, options?: CallOptions) =>
        new FeedbackResource(this.#resolve).add(ref, input, options),
      list: (options?: ListFeedbackOptions) => feedback.list(ref, options),
      iterate: (options?: IterateOptions<ListFeedbackOptions>) => feedback.iterate(ref, options),
      delete: (id: string, options?: CallOptions) => feedback.delete(ref, id, options),
    };
  }

  /** Readers' clicks on hits. The newest 10,000 of the namespace, including those of all its tenants, are kept. */
  get clicks() {
    const clicks = new Clicks(this.#resolveAsOwner);
    const { ref } = this;
    return {
      add: (input: AddClickInput, options?: CallOptions) => new Clicks(this.#resolve).add(ref, input, options),
      list: (options?: ListOptions) => clicks.list(ref, options),
      iterate: (options?: IterateOptions<ListOptions>) => clicks.iterate(ref, options),
      delete: (id: string, options?: CallOptions) => clicks.delete(ref, id, options),
    };
  }

  /**
   * Questions with known answers, by which searches are measured. The namespace keeps up to 2000, including those of all
   * its tenants.
   *
   * @example
   * await handbook.goldenQuestions.add({
   *   question: "When is the lamp lit?",
   *   answers: [{ document: "keeper.md", contains: "before sunset" }],
   * });
   */
  get goldenQuestions() {
    const questions = new GoldenQuestions(this.#resolveAsOwner);
    const { ref } = this;
    return {
      add: (input: AddGoldenQuestionInput, options?: CallOptions) => questions.add(ref, input, options),
      import: (input: readonly GoldenQuestion[], options?: CallOptions) => questions.import(ref, input, options),
      /**
       * Makes drafts of the questions whose answers were rated up, each answered by the documents that its answers cited,
       * 100 at most.
       * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
       */
      fromFeedback: async (options: MakeQuestionsOptions = {}): Promise<GoldenQuestionCounts> => {
        const { makeFromFeedback } = await import("./evaluate/make-questions.js");
        return makeFromFeedback(this, questions, options);
      },
      /**
       * Makes drafts of the clicks that were reported: a document answers a question if at least `minClicks` of the clicks
       * for the question are on it, and a fifth of them.
       * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
       */
      fromClicks: async (options: ClickQuestionsOptions = {}): Promise<GoldenQuestionCounts> => {
        const { makeFromClicks } = await import("./evaluate/make-questions.js");
        return makeFromClicks(this, questions, options);
      },
      /**
       * Makes drafts of documents of which none was generated yet, each answered by a sentence of its document: of headings
       * and definitions, or by the language model. What was made before an error is kept.
       * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `provider_failed`
       */
      generate: async (options: GenerateQuestionsOptions = {}): Promise<GeneratedQuestionCounts> => {
        const { engine } = await this.#resolveAsOwner(ref, options.signal);
        const { makeFromDocuments } = await import("./evaluate/make-questions.js");
        return makeFromDocuments(this, questions, engine, options);
      },
      get: (id: string, options?: CallOptions) => questions.get(ref, id, options),
      list: (options?: ListGoldenQuestionsOptions) => questions.list(ref, options),
      iterate: (options?: IterateOptions<ListGoldenQuestionsOptions>) => questions.iterate(ref, options),
      update: (id: string, input: UpdateGoldenQuestionInput, options?: CallOptions) =>
        questions.update(ref, id, input, options),
      delete: (id: string, options?: CallOptions) => questions.delete(ref, id, options),
    };
  }

  /**
   * Evaluations of the `active` golden questions: how well searches find their answers, by settings. The newest 100 of
   * each tenant are kept, and 100 without a tenant.
   *
   * @example
   * const { id, results } = await handbook.evaluations.run({ settings: [{ name: "default" }] });
   * for (const { name, measures } of results) console.log(name, measures["nDCG@10"]);
   * const [, earlier] = (await handbook.evaluations.list()).items;
   * if (earlier) console.log(await handbook.evaluations.compare(id, earlier.id));
   */
  get evaluations() {
    const { ref } = this;
    const evaluations = async () => {
      const { Evaluations } = await import("./evaluate/evaluations.js");
      return new Evaluations(this.#resolveAsOwner);
    };
    return {
      run: async (options?: RunEvaluationOptions) =>
        (await evaluations()).run(this.#toEvaluate(this.tenantId), options),
      list: async (options?: ListOptions) => (await evaluations()).list(ref, options),
      iterate: (options: IterateOptions<ListOptions> = {}): AsyncIterable<EvaluationSummary> =>
        iteratePages(async (cursor) => (await evaluations()).list(ref, { ...options, cursor })),
      get: async (id: string, options?: CallOptions) => (await evaluations()).get(ref, id, options),
      compare: async (id: string, baselineId: string, options?: CallOptions) =>
        (await evaluations()).compare(ref, id, baselineId, options),
      delete: async (id: string, options?: CallOptions) => (await evaluations()).delete(ref, id, options),
    };
  }

  /**
   * What is wrong with the namespace's documents: near-duplicates, passages that no likely question finds, questions that
   * found nothing, stale documents and those that parsed badly. `report` checks what is new since the last report.
   *
   * @example
   * const { isComplete, nearDuplicates } = await handbook.health.report();
   * for (const { passage, original } of (await handbook.health.list("near-duplicates")).items)
   *   console.log(passage.chunkId, original.chunkId);
   */
  get health() {
    const health = new CorpusHealth(this.#resolveAsOwner);
    const { ref } = this;
    return {
      report: (options?: HealthReportOptions) => health.report(ref, options),
      list: <Kind extends HealthFindingKind>(kind: Kind, options?: ListHealthOptions) =>
        health.list(ref, kind, options),
      iterate: <Kind extends HealthFindingKind>(kind: Kind, options?: IterateOptions<ListHealthOptions>) =>
        health.iterate(ref, kind, options),
    };
  }

  /**
   * Changes the embedding model, the vector store or both without downtime: new vectors are written beside those that
   * searches use, `cutOver` lets searches use them in one transaction, and `rollback` undoes that until `discard`.
   * @example
   * const embeddingConfig = { provider: "MANAGED_TRANSFORMERS" };
   * await handbook.reembedding.estimate({ embeddingConfig });
   * await handbook.reembedding.start({ embeddingConfig }, { chunksPerSecond: 200 });
   * await handbook.reembedding.wait();
   * const hits = await handbook.reembedding.search("When is the lamp lit?");
   * await handbook.reembedding.cutOver();
   */
  get reembedding() {
    const reembeddings = new Reembeddings(this.#resolveAsOwner);
    const { ref, tenantId, documents, ingestJobs } = this;
    return {
      // What `evaluate` of lorebase/evaluate needs to compare this model's searches.
      ...{ ref, tenantId, documents, ingestJobs },
      estimate: (given: NewVectors, options?: ReembeddingOptions) => reembeddings.estimate(ref, given, options),
      start: (given: NewVectors, options?: ReembeddingOptions) => reembeddings.start(ref, given, options),
      get: (options?: CallOptions) => reembeddings.get(ref, options),
      wait: (options?: CallOptions) => reembeddings.wait(ref, options),
      /** See {@link Reembeddings.cutOver}. First asks the guard of golden questions, if there is one. */
      cutOver: async ({ ignoreGuard = false, ...options }: CutOverOptions = {}): Promise<Reembedding> => {
        const approval = ignoreGuard ? "not needed" : await this.#askGuard(options);
        return reembeddings.cutOver(ref, approval, options);
      },
      rollback: (options?: CallOptions) => reembeddings.rollback(ref, options),
      resume: (options?: CallOptions) => reembeddings.resume(ref, options),
      discard: (options?: DiscardOptions) => reembeddings.discard(ref, options),
      /**
       * Compares the two models by golden questions, by clicks, and by a sample of the queries that readers asked, if the
       * option `retention.sampledQueryDays` keeps one. Keeps nothing.
       * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace or without another model, `conflict` while the
       * first vectors are being written, without anything to compare by, or (then retryable) if passages lack vectors of the
       * other model, which the worker then writes, or a model is replaced meanwhile
       */
      evaluate: async (options?: EvaluateReembeddingOptions): Promise<ReembeddingEvaluation> => {
        const { evaluateReembedding } = await import("./evaluate/evaluate-reembedding.js");
        return evaluateReembedding(this.#resolveAsOwner, ref, this.#modelHandles(), options);
      },
      /** Searches by the model that searches don't use yet, or no longer. Chunks without its vectors are not found. */
      search: async (
        query: string,
        { principals, ...options }: SearchOptions<M> = {},
      ): Promise<readonly SearchHit<M>[]> => {
        const { engine, access } = await this.#resolve(ref, options.signal, principals);
        const { embeddingConfig, vectorSet, vectorStoreConfig } = await otherSetOf(engine, access.namespaceId);
        const target = { ...toSearchTarget(access), embeddingConfig, vectorSet, vectorStoreConfig };
        return search<M>(engine, target, query, options);
      },
    };
  }

  /**
   * Lets the namespace refuse an embedding model that makes its golden questions significantly worse: `reembedding.cutOver`
   * then searches for the active questions of all tenants by both models, and fails with a `conflict` that tells the
   * figures if a measure falls with p < 0.05 (paired randomization test).
   *
   * @example
   * await handbook.goldenGuard.set({ measures: ["nDCG@10"], settings: [{ name: "default" }] });
   */
  get goldenGuard() {
    const { ref } = this;
    const guards = () => this.#openGuards();
    return {
      get: async (options?: CallOptions) => (await guards()).get(ref, options),
      set: async (input?: GoldenGuardInput, options?: CallOptions) => (await guards()).set(ref, input, options),
      delete: async (options?: CallOptions) => (await guards()).delete(ref, options),
    };
  }

  /** Returns what an evaluation needs. Its searches are not those of readers, so they are not recorded. */
  #toEvaluate(tenantId: string | null): EvaluatedNamespace {
    // Filters and boosts of settings have no type of metadata.
    const handle = new NamespaceHandle(this.ref, tenantId, this.#owner);
    const { ref, documents, ingestJobs } = handle;
    const search = async (query: string, options: SearchOptions) => (await handle.#find(query, options)).hits;
    return { ref, tenantId, documents, ingestJobs, search };
  }

  async #openGuards() {
    const { GoldenGuards } = await import("./evaluate/golden-guard.js");
    return new GoldenGuards(this.#resolveAsOwner);
  }

  /** Returns what the guard allows; `null` if there is none. @throws KnowledgeBaseError `conflict` if it refuses */
  async #askGuard(options: CallOptions): Promise<GuardApproval | null> {
    const guards = await this.#openGuards();
    const guard = await guards.find(this.ref, options);
    const reembedding = guard && (await this.reembedding.get(options));
    // Without another model, the cut-over fails.
    if (!guard || !reembedding || reembedding.state === "cut_over" || reembedding.state === "discarding") return null;
    return guards.check(this.ref, guard, reembedding, this.#modelHandles(), options);
  }

  #modelHandles(): ModelHandles {
    return {
      current: (tenantId) => this.#toEvaluate(tenantId),
      other: (tenantId) => new NamespaceHandle(this.ref, tenantId, this.#owner).reembedding,
    };
  }

  get hosting() {
    const hosting = new HostingSettingsResource(this.#resolveAsOwner);
    const { ref } = this;
    return {
      get: (options?: CallOptions) => hosting.get(ref, options),
      enable: (input?: HostingPatch, options?: CallOptions) => hosting.enable(ref, input, options),
      update: (patch: HostingPatch, options?: CallOptions) => hosting.update(ref, patch, options),
      disable: (options?: CallOptions) => hosting.disable(ref, options),
    };
  }

  get #resolve(): NamespaceResolver {
    return namespaceResolver(this.#owner, this);
  }

  /** Refuses handles that are bound to principals. */
  get #resolveAsOwner(): NamespaceResolver {
    return async (...call) => {
      requireOwner(this);
      return this.#resolve(...call);
    };
  }

  #requester(named: readonly string[] | undefined) {
    return { tenantId: this.tenantId, principals: narrowPrincipals(this.principals, named) };
  }
}

function toSearchTarget({ organizationId, namespaceId, tenantId, principals, namespace }: Access): SearchTarget {
  // Cached namespaces keep their config objects, which are the keys of the open drivers.
  const { embeddingConfig, vectorSet, vectorStoreConfig } = namespace;
  return {
    scope: { organizationId, namespaceId, tenantId, principals },
    ...{ embeddingConfig, vectorSet, vectorStoreConfig },
  };
}
