import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { KnowledgeBaseOptions } from "lorebase";
import { scriptArguments } from "../support/script-arguments.js";
import type { Failpoints } from "./failpoints.js";
import type { Order, Report } from "./messages.js";

const SCRIPT = scriptArguments(fileURLToPath(new URL("./fault-child.ts", import.meta.url)));

export interface ProcessStart {
  /** The module to import the engine from. */
  readonly library: string;
  readonly options: KnowledgeBaseOptions;
  /** Begins the markers of its documents. */
  readonly prefix: string;
  readonly seed: number;
  /** Whether the database may be out of reach for a while, so that calls may fail. */
  readonly isCut?: boolean;
  readonly failpoints?: Failpoints;
}

/** A process of the campaign, as the campaign holds it. */
export class CampaignProcess {
  readonly #child: ChildProcess;
  /** Resolves when the process has ended and everything has been read that it wrote. */
  readonly closed: Promise<void>;
  readonly #waiting = new Map<Report["report"], () => void>();
  #said = "";
  /** What it is called in what is printed. */
  name = "standby";

  constructor(
    { library, options, prefix, seed, isCut = false, failpoints }: ProcessStart,
    hear: (name: string, report: Report) => void,
  ) {
    const parameters = [library, JSON.stringify(options), prefix, String(seed), String(isCut)];
    this.#child = spawn(process.execPath, [...(failpoints?.nodeOptions ?? []), ...SCRIPT, ...parameters], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...failpoints?.environment(library) },
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
    this.closed = new Promise((resolve) => this.#child.once("close", () => resolve()));
  }

  send(order: Order): void {
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
  }

  /** Waits for a report. Returns false if the process ends instead. */
  async heardOrEnded(report: Report["report"]): Promise<boolean> {
    const told = new Promise<boolean>((resolve) => this.#waiting.set(report, () => resolve(true)));
    return Promise.race([told, this.closed.then(() => false)]);
  }

  /** Waits for a report. @throws if the process ends instead */
  async heard(report: Report["report"]): Promise<void> {
    if (!(await this.heardOrEnded(report))) throw new Error(`A process ended by itself: ${this.#said}`);
  }

  async ask(order: Order, answer: Report["report"]): Promise<void> {
    const answered = this.heard(answer);
    this.send(order);
    await answered;
  }

  /** What the process wrote to its standard error. */
  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Suspends the process, as a machine does that sleeps. */
  suspend(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  /** Returns false if the process had ended by itself. */
  async kill(): Promise<boolean> {
    this.#child.kill("SIGKILL");
    await this.closed;
    return this.#child.signalCode === "SIGKILL";
  }
}
