import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import threads, { MessageChannel, type MessagePort, type Worker, type WorkerOptions } from "node:worker_threads";

// Most of the time of a typical test would be the start of threads. Test files share a process, so their threads are
// shared too: one whose entry has ended runs the next that is started with the same options, in modules of its own.
// Files with a process of their own, and processes that tests start, have threads as users have them. Only those can
// show what an ended entry leaves behind: a thread of its own ends when nothing keeps it running, and its database
// connections are closed with it. A reused one is taken to have ended, and closes them when garbage is collected.

/** The threads that most knowledge bases start. */
const ENTRIES = /\/dist\/(storage\/sqlite|embedders\/lexical|embedders\/static|parse-workers)\/thread\.c?js$/;
const HOST = new URL("./thread-host.mjs", import.meta.url);
/** How many threads with the same options wait for the next entry. */
const MAX_IDLE = 4;
const INSTALLED = Symbol.for("lorebase.reused-threads");

/** What is read of the messages of `src/rpc`. */
interface Message {
  readonly kind?: string;
  readonly id?: number | null;
}

/** What the package uses of a `Worker`. The thread is kept for the next one, unless it fails or is ended during a call. */
class ReusedThread extends EventEmitter {
  readonly #thread: Worker;
  readonly #entry: URL;
  readonly #port: MessagePort;
  readonly #exited: Promise<void>;
  #hasExited = false;
  /** The ids of calls without a reply. */
  readonly #pending = new Set<number>();

  /** @param idle Where the thread is taken from, if there is one, and returned to. */
  constructor(idle: Worker[], start: () => Worker, entry: URL, { workerData, transferList = [] }: WorkerOptions) {
    super();
    const { port1, port2 } = new MessageChannel();
    this.#thread = takeFrom(idle) ?? start();
    this.#entry = entry;
    this.#port = port1;
    this.#exited = new Promise((resolve) => this.once("exit", resolve));
    const closed = new Promise((resolve) => port1.once("close", resolve));
    port1.on("message", (message) => this.#receive(message));
    port1.on("messageerror", (error) => this.emit("messageerror", error));
    // The thread keeps the process alive, not its port.
    port1.unref();
    this.#thread.ref();
    this.#thread.on("error", (error) => this.emit("error", error));
    this.#thread.on("exit", (code) => this.#exit(code));
    // The entry has ended. Its last messages come before the end of the port.
    this.#thread.on("message", async () => {
      await closed;
      this.#keep(idle);
      this.#exit(0);
    });
    this.#thread.postMessage({ entry: entry.href, port: port2, workerData }, [port2, ...transferList]);
  }

  postMessage(message: Message, transfer?: readonly ArrayBuffer[]): void {
    this.#port.postMessage(message, transfer);
    if (message.kind === "call" && typeof message.id === "number") this.#pending.add(message.id);
  }

  ref(): void {
    if (!this.#hasExited) this.#thread.ref();
  }

  unref(): void {
    if (!this.#hasExited) this.#thread.unref();
  }

  async terminate(): Promise<void> {
    // A call may never end.
    if (this.#pending.size > 0) await this.#thread.terminate();
    else this.#port.close();
    await this.#exited;
  }

  #receive(message: Message): void {
    if (message.kind === "reply" || message.kind === "error") this.#pending.delete(message.id!);
    this.emit("message", message);
  }

  #keep(idle: Worker[]): void {
    const thread = this.#thread;
    removeListeners(thread);
    const drop = () => {
      if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    };
    thread.once("exit", drop);
    thread.once("error", (cause) => {
      drop();
      throw new Error(`A thread failed after its entry ${this.#entry.href} had ended.`, { cause });
    });
    thread.unref();
    if (idle.length < MAX_IDLE) idle.push(thread);
    else void thread.terminate();
  }

  #exit(code: number): void {
    this.#hasExited = true;
    this.emit("exit", code);
  }
}

function takeFrom(idle: Worker[]): Worker | undefined {
  const thread = idle.pop();
  if (thread) removeListeners(thread);
  return thread;
}

function removeListeners(thread: Worker): void {
  for (const event of ["error", "exit", "message"]) thread.removeAllListeners(event);
}

/** Makes the package reuse threads in this process. */
export function reuseThreads(): void {
  const Thread = threads.Worker;
  if (INSTALLED in Thread) return;
  const idle = new Map<string, Worker[]>();
  const Worker = new Proxy(Thread, {
    construct(_, [entry, options = {}]: [URL | string, WorkerOptions?]) {
      if (!(entry instanceof URL) || !ENTRIES.test(entry.pathname)) return new Thread(entry, options);
      const { workerData: _data, transferList: _list, ...settings } = options;
      const key = JSON.stringify([entry.href, settings]);
      if (!idle.has(key)) idle.set(key, []);
      return new ReusedThread(idle.get(key)!, () => new Thread(HOST, settings), entry, options);
    },
  });
  Object.assign(threads, { Worker: Object.assign(Worker, { [INSTALLED]: true }) });
  syncBuiltinESMExports();
}
