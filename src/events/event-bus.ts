import { EventEmitter } from "node:events";
import type { CrawlCounts } from "../domain/crawl-counts.js";
import type { LoadProgress } from "../interfaces/embedder.js";
import type { CallUsage } from "../interfaces/hosted.js";
import type { IngestCounts, Status } from "../types.js";

/** A step of a job or one of its documents that is kept as long as the job, so that a watcher can rejoin it. */
export type StoredIngestEvent = {
  /** Place among the events of the knowledge base; give it as `after` to go on from there. */
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
      /** An item of a job with `dedupe` was left out, since a document of the scope has its content. */
      readonly type: "document.skipped";
      readonly jobId: string;
      /** Its place among the job's items, from 0. */
      readonly item: number;
      readonly documentName: string | null;
      /** The document that has its content. */
      readonly documentId: string;
      readonly counts: IngestCounts;
    }
  | {
      /** A crawl has found all its documents; they may still be ingested. */
      readonly type: "crawl.ended";
      readonly jobId: string;
      /** `done`: no page is left. `limit`: there are as many documents as are wanted. `pages`: too many pages were asked for those. */
      readonly ended: "done" | "limit" | "pages";
      readonly pages: CrawlCounts;
      readonly counts: IngestCounts;
    }
);

/** A step of a job or one of its documents. */
export type IngestEvent =
  | StoredIngestEvent
  | {
      /** How far the embedding of one document is. Not kept: a watcher that rejoins sees the next one. */
      readonly type: "document.progress";
      readonly jobId: string;
      readonly documentId: string;
      readonly documentName: string | null;
      readonly chunks: { readonly embedded: number; readonly total: number };
      readonly counts: IngestCounts;
    }
  | {
      /** How far a crawl is, after each page. Not kept either. */
      readonly type: "crawl.progress";
      readonly jobId: string;
      readonly pages: CrawlCounts;
      readonly counts: IngestCounts;
    };

/** A call of a hosted model or vector store. */
export interface ProviderCall {
  /** As a namespace's configuration or a reranker's name has it: `OPENAI`, `cohere`. */
  readonly provider: string;
  /** Null for a vector store. */
  readonly model: string | null;
  readonly operation: "embed" | "rerank" | "generate" | "upsert" | "query" | "delete";
  readonly endpoint: string;
}

/** Everything that a knowledge base tells its listeners. */
export type KnowledgeBaseEvent =
  | IngestEvent
  /**
   * Among others of a document that was ingested without the text of scanned pages, or without any, and of a job that waits because a
   * site asks to be left alone, with the time when it goes on.
   */
  | { readonly type: "warning"; readonly message: string }
  | {
      /** How many of the files that a sync takes in have been copied; queued are a thousand at a time. */
      readonly type: "sync.progress";
      readonly namespaceId: string;
      readonly dir: string;
      readonly copied: number;
      readonly total: number;
    }
  | ({ readonly type: "model.progress" } & LoadProgress)
  | ({
      /** A call of a hosted service ended. */
      readonly type: "provider.call";
      readonly outcome: "ok" | "failed" | "aborted";
      /** 0 where the service is left alone, because it failed too often in a row. */
      readonly attempts: number;
      /** From the call to its end, waits included. */
      readonly durationMs: number;
      /** What the service says that it cost; empty where it says nothing. */
      readonly usage: CallUsage;
      readonly error: string | null;
    } & ProviderCall)
  | ({
      /** An attempt of a call failed, and another follows. */
      readonly type: "provider.retry";
      /** The one that failed, from 1. */
      readonly attempt: number;
      readonly waitMs: number;
      readonly error: string;
    } & ProviderCall)
  /** Something failed that no call is waiting for. */
  | { readonly type: "error"; readonly error: unknown };

export type EventType = KnowledgeBaseEvent["type"];
export type EventOf<Type extends EventType> = Extract<KnowledgeBaseEvent, { type: Type }>;

/** Hands events to listeners in this process. One that throws is the process's uncaught exception; the others still hear. */
export class EventBus {
  readonly #emitter = new EventEmitter({ captureRejections: false }).setMaxListeners(0);
  readonly #printed = new Set<string>();

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

  /** Emits a warning that must not go unseen: without a listener it is printed on stderr, once. */
  warn(message: string): void {
    this.emit({ type: "warning", message });
    if (this.#emitter.listenerCount("event:warning") > 0 || this.#printed.has(message)) return;
    this.#printed.add(message);
    process.emitWarning(message, "LorebaseWarning");
  }

  /** Whether anybody follows jobs. */
  get followed(): boolean {
    return this.#emitter.listenerCount("event:job.status") + this.#emitter.listenerCount("event:document.status") > 0;
  }

  /** Says that a job's stored events have grown. */
  jobChanged(jobId: string): void {
    this.#emitter.emit("job", jobId);
  }

  /** Says that a job was asked to stop; its stored events have grown by that. */
  jobStopped(jobId: string): void {
    this.#emitter.emit("stop", jobId);
    this.runEnded(jobId);
  }

  /** Says that a worker has left a job, or that it was stopped: it may have ended, and its stored events may have grown. */
  runEnded(jobId: string): void {
    this.#emitter.emit("left", jobId);
    this.jobChanged(jobId);
  }

  onRunEnded(listener: (jobId: string) => void): Disposable {
    return this.#listen("left", listener as (event: never) => void);
  }

  onJobStopped(listener: (jobId: string) => void): Disposable {
    return this.#listen("stop", listener as (event: never) => void);
  }

  onJobChanged(listener: (jobId: string) => void): Disposable {
    return this.#listen("job", listener as (event: never) => void);
  }

  /** Says that the knowledge base is being closed. */
  closing(): void {
    this.#emitter.emit("close");
  }

  onClosing(listener: () => void): Disposable {
    return this.#listen("close", listener);
  }

  /** Says that the queue has something to do. */
  workAdded(): void {
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
