import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KnowledgeBaseOptions } from "lorebase";
import { scriptArguments } from "../support/script-arguments.js";
import type { ReaderAnswer, ReaderOrder } from "./reader-messages.js";

const SCRIPT = scriptArguments(fileURLToPath(new URL("./reader-child.ts", import.meta.url)));

/** A process of the campaign of readers, as the campaign holds it. */
export class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: ReaderAnswer) => void>();
  readonly #ended: Promise<string>;
  #next = 0;

  constructor(library: string, options: KnowledgeBaseOptions) {
    const parameters = [...SCRIPT, library, JSON.stringify(options)];
    this.#child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => {
      const answer = JSON.parse(line) as ReaderAnswer;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    this.#ended = new Promise((resolve) => this.#child.once("close", () => resolve(said)));
  }

  async ask(order: Omit<ReaderOrder, "id">): Promise<ReaderAnswer> {
    const id = this.#next++;
    const answered = new Promise<ReaderAnswer>((resolve) => this.#waiting.set(id, resolve));
    this.#child.stdin!.write(`${JSON.stringify({ id, ...order } satisfies ReaderOrder)}\n`);
    const ended = this.#ended.then((said): ReaderAnswer => ({ id, error: `The process ended: ${said}` }));
    const answer = await Promise.race([answered, ended]);
    if (answer.error) throw new Error(`${order.order} of ${order.marker}: ${answer.error}`);
    return answer;
  }

  /** Ends the process, after its knowledge base is closed. */
  async end(): Promise<void> {
    this.#child.stdin!.end();
    await this.#ended;
  }
}
