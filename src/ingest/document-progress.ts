import type { EventOf } from "../events/event-bus.js";
import type { PageProgress } from "../interfaces/parser.js";
import type { RunnableDocument } from "../storage/records/documents.js";
import type { JobContext } from "./job-context.js";

/** Tells the listeners of this process how far the ingest of a document is. */
export class DocumentProgress {
  readonly #job: JobContext;
  readonly #document: RunnableDocument;
  #pages: PageProgress | null = null;
  #chunks = { embedded: 0, total: 0 };
  /** Each event waits for the one before, so that numbers don't decrease. */
  #told: Promise<void> = Promise.resolve();

  constructor(job: JobContext, document: RunnableDocument) {
    this.#job = job;
    this.#document = document;
  }

  /** Tells the pages read so far. Doesn't wait. */
  readPages(pages: PageProgress): void {
    // The first pages of a long document are read again with the others.
    if (this.#pages !== null && pages.read <= this.#pages.read) return;
    this.#pages = pages;
    void this.#tell();
  }

  /** Tells the chunks embedded so far. */
  async embedded(embedded: number, total: number): Promise<void> {
    this.#chunks = { embedded, total };
    await this.#tell();
  }

  /** Waits until everything has been told. */
  async end(): Promise<void> {
    await this.#told;
  }

  #tell(): Promise<void> {
    const progress = { pages: this.#pages, chunks: this.#chunks };
    this.#told = this.#told.then(() => this.#emit(progress));
    return this.#told;
  }

  /** Never rejects, since the ingest itself fails for the same reasons. */
  async #emit({ pages, chunks }: Pick<EventOf<"document.progress">, "pages" | "chunks">): Promise<void> {
    const { engine, jobId, signal } = this.#job;
    const { id: documentId, name: documentName } = this.#document;
    try {
      const counts = await engine.storage.jobs.getCounts({ jobId });
      if (!counts) return;
      const embedded = counts.embedded + chunks.embedded;
      engine.events.emit({
        type: "document.progress",
        ...{ jobId, documentId, documentName, pages, chunks },
        counts: { ...counts, embedded },
      });
    } catch (error) {
      if (!signal.aborted) engine.events.emit({ type: "error", error });
    }
  }
}
