import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServeProcess } from "./serve-process.js";

const SAMPLE_MS = 20;

/** A `lorebase serve` of its own, in a temporary directory, whose memory is sampled every 20 ms. Linux only. */
export class MeasuredServer {
  readonly #process: ServeProcess;
  readonly #directory: string;
  readonly #sampling: NodeJS.Timeout;
  #peak = 0;

  private constructor(serving: ServeProcess, directory: string) {
    this.#process = serving;
    this.#directory = directory;
    this.#sampling = setInterval(() => {
      this.#peak = Math.max(this.#peak, this.residentMb);
    }, SAMPLE_MS);
  }

  static async start(): Promise<MeasuredServer> {
    const directory = mkdtempSync(join(tmpdir(), "lorebase-worst-"));
    return new MeasuredServer(await ServeProcess.start(directory), directory);
  }

  /** Of the server and all of its descendants, now. */
  get residentMb(): number {
    return this.#process.residentMb;
  }

  /** The most since this was last read. */
  takePeakMb(): number {
    const peak = this.#peak;
    this.#peak = 0;
    return peak;
  }

  /** Calls the HTTP interface. @throws where it refuses */
  async call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await fetch(`${this.#process.url}${path}`, {
      method,
      headers: this.#process.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: Data };
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  async close(): Promise<void> {
    clearInterval(this.#sampling);
    await this.#process.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
