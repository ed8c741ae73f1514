import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import { messageOf } from "../errors.js";
import type { FromWorkplace, ToWorkplace } from "./protocol.js";
import { watchMemory } from "./watch-memory.js";

/** Where documents are parsed: a thread or a process. It is told and tells by messages, and can be ended at any moment. */
export interface Workplace {
  /** @param moved Buffers that need not be copied: nobody reads them here any more. */
  post(message: ToWorkplace, moved?: readonly ArrayBuffer[]): void;
  /** Keeps the host process alive, as long as a document is being worked on. */
  hold(): void;
  release(): void;
  end(): Promise<void>;
}

export interface WorkplaceEvents {
  onMessage(message: FromWorkplace): void;
  /** It is gone. `memory` says that it was ended for holding too much. */
  onLost(reason: string, cause: "crash" | "memory"): void;
}

export type OpenWorkplace = (events: WorkplaceEvents) => Workplace;

/** Cheap to start and quick to reach; what it allocates is not bounded, and a crash in native code is the whole process's. */
export function threadWorkplace(entry: URL): OpenWorkplace {
  return ({ onMessage, onLost }) => {
    const worker = new Worker(entry, { name: "lorebase preparation", env: {}, execArgv: [] });
    worker.on("message", onMessage);
    worker.on("error", (error) => onLost(messageOf(error), "crash"));
    worker.on("exit", () => onLost("it ended without an error", "crash"));
    return {
      post: (message, moved = []) => worker.postMessage(message, moved),
      hold: () => worker.ref(),
      release: () => worker.unref(),
      async end() {
        worker.ref();
        await worker.terminate();
      },
    };
  };
}

/** For formats whose files can crash or fill a process: it is killed when it holds more than `maxBytes`, and only the document is lost. */
export function processWorkplace(entry: URL, { maxBytes }: { readonly maxBytes: number }): OpenWorkplace {
  return ({ onMessage, onLost }) => {
    const child = fork(entry, {
      env: {},
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    let over = false;
    const watch = watchMemory(child.pid, maxBytes, () => {
      over = true;
      child.kill("SIGKILL");
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.on("message", (message) => onMessage(message as FromWorkplace));
    child.on("error", (error) => onLost(messageOf(error), "crash"));
    child.on("exit", (code, signal) => {
      watch.stop();
      onLost(signal ? `it was ended by ${signal}` : `it ended with the code ${code}`, over ? "memory" : "crash");
    });
    return {
      // A process that has just ended says so by itself.
      post: (message) => void (child.connected && child.send(message, () => {})),
      hold() {
        child.ref();
        child.channel?.ref();
        watch.start();
      },
      release() {
        watch.stop();
        child.unref();
        child.channel?.unref();
      },
      async end() {
        child.ref();
        child.kill("SIGKILL");
        if (child.pid !== undefined) await ended;
      },
    };
  };
}
