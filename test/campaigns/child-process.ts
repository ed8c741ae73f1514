import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Order, Report } from "./messages.js";

const SCRIPT = fileURLToPath(new URL("./kill-child.ts", import.meta.url));

export interface ProcessStart {
  /** The module to import the engine from. */
  readonly library: string;
  readonly directory: string;
  /** Begins the markers of its documents. */
  readonly prefix: string;
  readonly seed: number;
}

/** A process of the campaign, as the campaign holds it. */
export class CampaignProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  readonly #waiting = new Map<Report["report"], () => void>();
  #said = "";
  /** What it is called in what is printed. */
  name = "standby";

  constructor({ library, directory, prefix, seed }: ProcessStart, hear: (name: string, report: Report) => void) {
    const parameters = [library, directory, prefix, String(seed)];
    this.#child = spawn(process.execPath, ["--import", "tsx", SCRIPT, ...parameters], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    // Orders to a process that is being killed have nobody to go to.
    this.#child.stdin!.on("error", () => {});
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => {
      // The last line may have been cut by the kill.
      if (!line.endsWith("}")) return;
      const report = JSON.parse(line) as Report;
      hear(this.name, report);
      this.#waiting.get(report.report)?.();
    });
    // Not before "close" has everything been read that the process wrote.
    this.#closed = new Promise((resolve) => this.#child.once("close", () => resolve()));
  }

  send(order: Order): void {
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
  }

  /** Waits for a report. @throws where the process ends instead */
  async heard(report: Report["report"]): Promise<void> {
    const told = new Promise<"told">((resolve) => this.#waiting.set(report, () => resolve("told")));
    const ended = this.#closed.then(() => "ended" as const);
    if ((await Promise.race([told, ended])) === "ended") throw new Error(`A process ended by itself: ${this.#said}`);
  }

  async ask(order: Order, answer: Report["report"]): Promise<void> {
    const answered = this.heard(answer);
    this.send(order);
    await answered;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }
}
