import { fork } from "node:child_process";
import { getErrorMessage } from "../errors.js";
import { openThread } from "../rpc/open-thread.js";
import type { PostMessage, RpcMessage } from "../rpc/rpc-peer.js";
import { MemoryMonitor } from "./memory-monitor.js";
import { processLimits, RAISED_LIMIT_FACTOR, THREAD_HEAP_MB } from "./worker-limits.js";

/** A thread or process that parses documents and can be terminated at any time. */
export interface WorkerHost {
  readonly post: PostMessage;
  /** Keeps the host process alive and resets the memory limit. */
  ref(): void;
  unref(): void;
  /** Doubles the memory limit until the next `ref`. */
  raiseMemoryLimit(): void;
  /** Whether the worker holds so much memory after a document that it should be replaced. */
  isLarge(): boolean;
  terminate(): Promise<void>;
}

export interface WorkerHostEvents {
  onMessage(message: RpcMessage): void;
  /** Called when the worker has exited. `reason` is a sentence for the user if `cause` is `memory`, else a clause. */
  onExit(reason: string, cause: "crash" | "memory"): void;
}

/** Starts a worker. */
export type HostFactory = (events: WorkerHostEvents) => WorkerHost;

const MEGABYTE = 1024 * 1024;
/**
 * By default, glibc gives each thread its own arena, and what is freed in one isn't used by others: a process that
 * recognises text would take 100 MB more (mallopt(3)). Other C libraries ignore the variable.
 */
const PROCESS_ENVIRONMENT = { MALLOC_ARENA_MAX: "1" };
/** A process takes three times this for new objects. Node's default of 16 MB makes parsing no faster. */
const SEMI_SPACE_MB = 8;
const OUT_OF_HEAP_PATTERN = /heap out of memory|heap limit/i;

/**
 * Returns a factory of worker threads, which are cheap to start and call. Their Buffers are not limited, and a crash in
 * native code ends the host process.
 */
export function threadHost(entry: URL): HostFactory {
  return ({ onMessage, onExit }) => {
    const resourceLimits = { maxOldGenerationSizeMb: THREAD_HEAP_MB };
    const thread = openThread(
      { entry, name: "lorebase parser", resourceLimits },
      {
        onMessage,
        onExit(crash) {
          if (isOutOfHeap(crash)) onExit(memoryMessage(THREAD_HEAP_MB), "memory");
          else onExit(crash === undefined ? "it exited without an error" : getErrorMessage(crash), "crash");
        },
      },
    );
    return { ...thread, raiseMemoryLimit() {}, isLarge: () => false };
  };
}

/**
 * Returns a factory of worker processes, for large files and formats that may crash or exhaust memory: a process over
 * its limit is killed, and only its document fails.
 */
export function processHost(entry: URL, { maxBytes }: { readonly maxBytes: number }): HostFactory {
  const { processBytes, heapMb, largeBytes } = processLimits(maxBytes);
  return ({ onMessage, onExit }) => {
    const child = fork(entry, {
      env: PROCESS_ENVIRONMENT,
      execArgv: [`--max-old-space-size=${heapMb}`, `--max-semi-space-size=${SEMI_SPACE_MB}`, "--expose-gc"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let isOutOfMemory = false;
    let limitFactor = 1;
    const monitor = new MemoryMonitor(child.pid, () => {
      isOutOfMemory = true;
      child.kill("SIGKILL");
    });
    // V8 reports an exhausted heap only on stderr: the process exits as after any other fatal error.
    child.stderr!.setEncoding("latin1").on("data", (text: string) => {
      if (OUT_OF_HEAP_PATTERN.test(text)) isOutOfMemory = true;
    });
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.on("message", (message) => onMessage(message as RpcMessage));
    child.on("error", (error) => onExit(getErrorMessage(error), "crash"));
    // Unlike "exit", "close" follows the last of the stderr data.
    child.on("close", (code, signal) => {
      monitor.stop();
      if (isOutOfMemory) onExit(memoryMessage((limitFactor * maxBytes) / MEGABYTE), "memory");
      else onExit(signal ? `it was terminated by ${signal}` : `it exited with code ${code}`, "crash");
    });
    const stderr = child.stderr as unknown as { ref(): void; unref(): void };
    return {
      // Ignores errors: if the process has just exited, "close" reports that.
      post: (message) => void (child.connected && child.send(message, () => {})),
      ref() {
        child.ref();
        child.channel?.ref();
        stderr.ref();
        limitFactor = 1;
        monitor.start(processBytes);
      },
      unref() {
        monitor.stop();
        child.unref();
        child.channel?.unref();
        stderr.unref();
      },
      raiseMemoryLimit() {
        limitFactor = RAISED_LIMIT_FACTOR;
        monitor.start(processBytes * limitFactor);
      },
      isLarge: () => monitor.rssBytes > largeBytes,
      async terminate() {
        child.ref();
        child.kill("SIGKILL");
        if (child.pid !== undefined) await exited;
      },
    };
  };
}

function isOutOfHeap(crash: unknown): boolean {
  return crash instanceof Error && "code" in crash && crash.code === "ERR_WORKER_OUT_OF_MEMORY";
}

function memoryMessage(megabytes: number): string {
  return `Parsing needed more memory than the ${Math.round(megabytes)} MB allowed and was stopped.`;
}
