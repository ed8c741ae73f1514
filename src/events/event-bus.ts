import { EventEmitter } from "node:events";
import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { LoadProgress } from "../interfaces/embedder.js";
import type { CallUsage } from "../interfaces/hosted.js";
import type { PageProgress } from "../interfaces/parser.js";
import type { IngestCounts, Reembedding, Status } from "../types.js";

/** A stored event of a job. The event is kept as long as the job, so that a watcher can resume after the event. */
export type StoredIngestEvent = {
  /** The event's sequence number in the knowledge base. Pass it as `after` to resume with the next event. */
  readonly seq: number;
} & (
  | {
      readonly type: "job.status";
      readonly jobId: string;
      readonly status: Status;
      readonly error: string | null;
      readonly counts: IngestCounts;
    }
  | {
      readonly type: "document.status";
      readonly jobId: string;
      readonly documentId: string;
      readonly documentName: string | null;
      readonly status: Status;
      readonly error: string | null;
      readonly counts: IngestCounts;
    }
  | {
      /** An item of a job with `dedupe` was skipped, since a document of the scope has the same content and config. */
      readonly type: "document.skipped";
      readonly jobId: string;
      /** The index of the item in the payload, from 0. */
      readonly item: number;
      readonly documentName: string | null;
      /** The document with the same content. */
      readonly documentId: string;
      readonly counts: IngestCounts;
    }
  | {
      /** A crawl has found all its documents. Their ingest may still be running. */
      readonly type: "crawl.ended";
      readonly jobId: string;
      /** `done`: no page is left. `limit`: the document limit was reached. `pages`: the page budget was spent. */
      readonly ended: "done" | "limit" | "pages";
      readonly pages: CrawlCounts;
      readonly counts: IngestCounts;
    }
);

/** An event of a job. `IngestRun.events` yields unstored events only if they occur during the iteration. */
export type IngestEvent =
  | StoredIngestEvent
  | {
      /** Progress of parsing and embedding one document: every 250 ms while its pages are read. Not stored. */
      readonly type: "document.progress";
      readonly jobId: string;
      readonly documentId: string;
      readonly documentName: string | null;
      /** The pages read so far; `null` for formats without pages, and those whose parser doesn't count them. */
      readonly pages: PageProgress | null;
      /** `total` is 0 until the document is parsed. */
      readonly chunks: { readonly embedded: number; readonly total: number };
      readonly counts: IngestCounts;
    }
  | {
      /** Progress of a crawl, after each page. Not stored. */
      readonly type: "crawl.progress";
      readonly jobId: string;
      readonly pages: CrawlCounts;
      readonly counts: IngestCounts;
    };

/** A search that has ended. The search of an answer counts too. */
export interface EndedSearch {
  readonly mode: "semantic" | "keyword" | "hybrid";
  readonly outcome: "ok" | "failed" | "aborted";
  readonly durationMs: number;
}

/** An HTTP request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** The template of the path, such as `/v1/namespace/:namespaceId/search`; `null` if no route matches. */
  readonly route: string | null;
  readonly status: number;
  /** The time until the response was ready to be sent. */
  readonly durationMs: number;
}

/** A call of a hosted model or vector store. */
export interface ProviderCall {
  /** The provider in a namespace's configuration or a reranker's name: `OPENAI`, `cohere`. */
  readonly provider: string;
  /** `null` for a vector store. */
  readonly model: string | null;
  readonly operation: "embed" | "rerank" | "generate" | "upsert" | "query" | "delete";
  readonly endpoint: string;
}

/** Every event of a knowledge base. Events of jobs are also stored: `StoredEvent` in `storage/records/statuses.ts`. */
export type KnowledgeBaseEvent =
  | IngestEvent
  /**
   * Something that needs attention, such as a document ingested without the text of its scanned pages, or a crawl that
   * waits because the site asked it to.
   */
  | { readonly type: "warning"; readonly message: string }
  | {
      /** Progress of a sync that copies files. The sync queues up to 1,000 copied files at a time. */
      readonly type: "sync.progress";
      readonly namespaceId: string;
      readonly dir: string;
      readonly copied: number;
      readonly total: number;
    }
  | {
      /** Progress of embedding a namespace again, about every two seconds and at the end. */
      readonly type: "reembedding.progress";
      readonly namespaceId: string;
      readonly state: Reembedding["state"];
      /** Chunks embedded so far. */
      readonly embedded: number;
      readonly total: number;
      readonly error: string | null;
    }
  | ({ readonly type: "model.progress" } & LoadProgress)
  | ({
      /** A call of a hosted service ended. */
      readonly type: "provider.call";
      readonly outcome: "ok" | "failed" | "aborted";
      /** 0 if the circuit breaker was open because the service had failed too often in a row. */
      readonly attempts: number;
      /** Including waits between attempts. */
      readonly durationMs: number;
      /** The usage that the service reports; empty if it reports none. */
      readonly usage: CallUsage;
      readonly error: string | null;
    } & ProviderCall)
  | ({
      /** An attempt failed, and the call will be retried. */
      readonly type: "provider.retry";
      /** The failed attempt, from 1. */
      readonly attempt: number;
      readonly waitMs: number;
      readonly error: string;
    } & ProviderCall)
  | ({ readonly type: "search.ended" } & EndedSearch)
  /** The handler of `lorebase/http` has answered a request. */
  | ({ readonly type: "http.request" } & AnsweredRequest)
  /** A failure in background work, which no call can report. */
  | { readonly type: "error"; readonly error: unknown };

export type EventType = KnowledgeBaseEvent["type"];
export type EventOf<Type extends EventType> = Extract<KnowledgeBaseEvent, { type: Type }>;

/**
 * Delivers events to listeners in this process. An error thrown by a listener becomes an uncaught exception; the other
 * listeners are still called.
 */
export class EventBus {
  readonly #emitter = new EventEmitter({ captureRejections: false }).setMaxListeners(0);
  readonly #printedWarnings = new Set<string>();

  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => void): Disposable {
    return this.#listen(`event:${type}`, listener as (event: never) => void);
  }

  emit(event: KnowledgeBaseEvent): void {
    for (const listener of this.#emitter.listeners(`event:${event.type}`)) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Emits a warning. Without a listener, prints it to stderr, once per message. */
  warn(message: string): void {
    this.emit({ type: "warning", message });
    if (this.#emitter.listenerCount("event:warning") > 0 || this.#printedWarnings.has(message)) return;
    this.#printedWarnings.add(message);
    process.emitWarning(message, "LorebaseWarning");
  }

  /** Whether there are listeners for job or document events. */
  get hasJobListeners(): boolean {
    return this.#emitter.listenerCount("event:job.status") + this.#emitter.listenerCount("event:document.status") > 0;
  }

  /** Signals that new events of a job have been stored. */
  emitJobChanged(jobId: string): void {
    this.#emitter.emit("job", jobId);
  }

  /** Signals that a job was asked to stop and that the event for it has been stored. */
  emitJobStopped(jobId: string): void {
    this.#emitter.emit("stop", jobId);
    this.emitJobLeft(jobId);
  }

  /**
   * Signals that a job may have ended, because a worker has stopped working on it or because it was asked to stop.
   */
  emitJobLeft(jobId: string): void {
    this.#emitter.emit("left", jobId);
    this.emitJobChanged(jobId);
  }

  onJobLeft(listener: (jobId: string) => void): Disposable {
    return this.#listen("left", listener as (event: never) => void);
  }

  onJobStopped(listener: (jobId: string) => void): Disposable {
    return this.#listen("stop", listener as (event: never) => void);
  }

  onJobChanged(listener: (jobId: string) => void): Disposable {
    return this.#listen("job", listener as (event: never) => void);
  }

  /** Signals that the knowledge base is closing. */
  emitClosing(): void {
    this.#emitter.emit("close");
  }

  onClosing(listener: () => void): Disposable {
    return this.#listen("close", listener);
  }

  /** Signals that tasks were added to the queue. */
  emitWorkAdded(): void {
    this.#emitter.emit("work");
  }

  onWorkAdded(listener: () => void): Disposable {
    return this.#listen("work", listener);
  }

  #listen(name: string, listener: (event: never) => void): Disposable {
    this.#emitter.on(name, listener as (...args: unknown[]) => void);
    return { [Symbol.dispose]: () => void this.#emitter.off(name, listener as (...args: unknown[]) => void) };
  }
}
