import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Candidate } from "./candidates.js";
import type { Command, Reply, Results } from "./protocol.js";

/** Characters of the error output shown when the process exits, since some systems warn at every call. */
const MAX_ERROR_OUTPUT = 2000;

/** A system in its own process. */
export class SystemProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    let written = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      written = (written + text).slice(-MAX_ERROR_OUTPUT);
    });
    this.#ended = once(child, "exit").then(([code, signal]) => {
      throw new Error(`${name} exited unexpectedly (${signal ?? code}).\n${written}`);
    });
    this.#ended.catch(() => {});
  }

  static async start({ name, system }: Candidate): Promise<SystemProcess> {
    const child = fork(new URL("./system-worker.ts", import.meta.url), [system], {
      execArgv: ["--import", "tsx"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const running = new SystemProcess(name, child);
    await running.#nextReply();
    return running;
  }

  /** @throws Error that names the system */
  async send<Do extends Command["do"]>(command: Extract<Command, { do: Do }>): Promise<Results[Do]> {
    this.#child.send(command);
    return (await this.#nextReply()) as Results[Do];
  }

  /** Ends the process and waits for its exit. */
  async end(): Promise<void> {
    this.#child.kill();
    await this.#ended.catch(() => {});
  }

  async #nextReply(): Promise<unknown> {
    const [reply] = (await Promise.race([once(this.#child, "message"), this.#ended])) as [Reply];
    if ("error" in reply) throw new Error(`${this.#name}: ${reply.error}`);
    return reply.result;
  }
}
