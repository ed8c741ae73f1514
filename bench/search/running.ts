import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Contestant } from "./contestants.js";
import type { Answers, Order, Reply } from "./orders.js";

/** Characters of what a process wrote to its error output that are shown when it ends: some of them warn at every call. */
const LAST_WORDS = 2000;

/** A contestant in a process of its own. */
export class Running {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    let written = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      written = (written + text).slice(-LAST_WORDS);
    });
    this.#ended = once(child, "exit").then(([code, signal]) => {
      throw new Error(`${name} ended by itself (${signal ?? code}).\n${written}`);
    });
    this.#ended.catch(() => {});
  }

  static async start({ name, system }: Contestant): Promise<Running> {
    const child = fork(new URL("./contestant-process.ts", import.meta.url), [system], {
      execArgv: ["--import", "tsx"],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const running = new Running(name, child);
    await running.#reply();
    return running;
  }

  /** @throws Error that says whose it is */
  async tell<Do extends Order["do"]>(order: Extract<Order, { do: Do }>): Promise<Answers[Do]> {
    this.#child.send(order);
    return (await this.#reply()) as Answers[Do];
  }

  /** Ends the process, and waits until it has. */
  async end(): Promise<void> {
    this.#child.kill();
    await this.#ended.catch(() => {});
  }

  async #reply(): Promise<unknown> {
    const [reply] = (await Promise.race([once(this.#child, "message"), this.#ended])) as [Reply];
    if ("error" in reply) throw new Error(`${this.#name}: ${reply.error}`);
    return reply.answer;
  }
}
