import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import { messageOf } from "../errors.js";
import type { FromWorkplace, ToWorkplace } from "./protocol.js";
import { MemoryWatch } from "./watch-memory.js";

/** Where documents are parsed: a thread or a process. It is told and tells by messages, and can be ended at any moment. */
export interface Workplace {
  /** @param moved Buffers that need not be copied: nobody reads them here any more. */
  post(message: ToWorkplace, moved?: readonly ArrayBuffer[]): void;
  /** Keeps the host process alive, as long as a document is being worked on. */
  hold(): void;
  release(): void;
  /** What the document is needs more memory: twice as much is allowed until the next one. */
  allowMore(): void;
  /** Whether it keeps so much memory that it is better replaced. */
  isLarge(): boolean;
  end(): Promise<void>;
}

export interface WorkplaceEvents {
  onMessage(message: FromWorkplace): void;
  /** It is gone. `memory` says that it was ended for holding too much, and the reason is a sentence for whoever reads it. */
  onLost(reason: string, cause: "crash" | "memory"): void;
}

export type OpenWorkplace = (events: WorkplaceEvents) => Workplace;

const MEGABYTE = 1024 * 1024;
/** JavaScript objects of a thread, beside which it has nothing large. */
const THREAD_HEAP_MB = 192;
/** Of what a document may take, the process that parses it: the rest is for what is held of it where it comes from and goes to. */
const PROCESS_SHARE = 0.8;
/** Of a process's memory, the JavaScript objects: within less room, more garbage is collected before the process is too large. */
const HEAP_SHARE = 0.7;
/** Of a process's memory: what is kept above this, after a document, is given back by starting anew. */
const LARGE_SHARE = 0.5;
/** A scan of 600 dots an inch or a photograph of 48 megapixels takes 500 to 600 MB to be recognised. */
const MORE_TIMES = 2;
const OUT_OF_HEAP = /heap out of memory|heap limit/i;

/** Cheap to start and quick to reach; its Buffers are not bounded, and a crash in native code is the whole process's. */
export function threadWorkplace(entry: URL): OpenWorkplace {
  return ({ onMessage, onLost }) => {
    const resourceLimits = { maxOldGenerationSizeMb: THREAD_HEAP_MB };
    const worker = new Worker(entry, { name: "lorebase preparation", env: {}, execArgv: [], resourceLimits });
    worker.on("message", onMessage);
    worker.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") onLost(memorySentence(THREAD_HEAP_MB), "memory");
      else onLost(messageOf(error), "crash");
    });
    worker.on("exit", () => onLost("it ended without an error", "crash"));
    return {
      post: (message, moved = []) => worker.postMessage(message, moved),
      hold: () => worker.ref(),
      release: () => worker.unref(),
      allowMore() {},
      isLarge: () => false,
      async end() {
        worker.ref();
        await worker.terminate();
      },
    };
  };
}

/** For large files and formats that can crash or fill a process: it is killed when it holds too much, and only the document is lost. */
export function processWorkplace(entry: URL, { maxBytes }: { readonly maxBytes: number }): OpenWorkplace {
  const ownBytes = maxBytes * PROCESS_SHARE;
  const heapMb = Math.floor((ownBytes * HEAP_SHARE) / MEGABYTE);
  return ({ onMessage, onLost }) => {
    const child = fork(entry, {
      env: {},
      execArgv: [`--max-old-space-size=${heapMb}`, "--expose-gc"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let over = false;
    let times = 1;
    const watch = new MemoryWatch(child.pid, () => {
      over = true;
      child.kill("SIGKILL");
    });
    // Where V8 has no more room, it says so here, and ends as after any other fatal error.
    child.stderr!.setEncoding("latin1").on("data", (text: string) => {
      if (OUT_OF_HEAP.test(text)) over = true;
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.on("message", (message) => onMessage(message as FromWorkplace));
    child.on("error", (error) => onLost(messageOf(error), "crash"));
    // Not before "close" has everything been read that it wrote.
    child.on("close", (code, signal) => {
      watch.stop();
      if (over) onLost(memorySentence((times * maxBytes) / MEGABYTE), "memory");
      else onLost(signal ? `it was ended by ${signal}` : `it ended with the code ${code}`, "crash");
    });
    const stderr = child.stderr as unknown as { ref(): void; unref(): void };
    return {
      // A process that has just ended says so by itself.
      post: (message) => void (child.connected && child.send(message, () => {})),
      hold() {
        child.ref();
        child.channel?.ref();
        stderr.ref();
        times = 1;
        watch.start(ownBytes);
      },
      release() {
        watch.stop();
        child.unref();
        child.channel?.unref();
        stderr.unref();
      },
      allowMore() {
        times = MORE_TIMES;
        watch.start(ownBytes * times);
      },
      isLarge: () => watch.bytes > ownBytes * LARGE_SHARE,
      async end() {
        child.ref();
        child.kill("SIGKILL");
        if (child.pid !== undefined) await ended;
      },
    };
  };
}

function memorySentence(megabytes: number): string {
  return `Parsing needed more memory than the ${Math.round(megabytes)} MB allowed and was stopped.`;
}
