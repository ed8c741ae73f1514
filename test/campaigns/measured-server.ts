import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PAGE_BYTES = 4096;
const MEGABYTE = 1024 * 1024;
const SAMPLE_MS = 20;

/** A `lorebase serve` of its own, in a temporary directory, whose memory is sampled every 20 ms. Linux only. */
export class MeasuredServer {
  readonly #process: ChildProcess;
  readonly #directory: string;
  readonly #sampling: NodeJS.Timeout;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #peak = 0;

  private constructor(child: ChildProcess, directory: string, { url, apiKey }: { url: string; apiKey: string }) {
    this.#process = child;
    this.#directory = directory;
    this.#url = url;
    this.#headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    this.#sampling = setInterval(() => {
      this.#peak = Math.max(this.#peak, this.residentMb);
    }, SAMPLE_MS);
  }

  static async start(): Promise<MeasuredServer> {
    const directory = mkdtempSync(join(tmpdir(), "lorebase-worst-"));
    const flags = ["--json", "--port", "0", "--host", "127.0.0.1", "--directory", directory];
    const child = spawn(process.execPath, [MAIN, "serve", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout! }), "line"),
      once(child, "exit").then(([code]) => {
        throw new Error(`The server ended with the code ${code}.`);
      }),
    ]);
    return new MeasuredServer(child, directory, JSON.parse(line));
  }

  /** Of the server and all of its descendants, now. */
  get residentMb(): number {
    return residentBytes(this.#process.pid!) / MEGABYTE;
  }

  /** The most since this was last read. */
  takePeakMb(): number {
    const peak = this.#peak;
    this.#peak = 0;
    return peak;
  }

  /** Calls the HTTP interface. @throws where it refuses */
  async call<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: this.#headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: Data };
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  async close(): Promise<void> {
    clearInterval(this.#sampling);
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function residentBytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
    return children.reduce((sum, child) => sum + residentBytes(child), pages * PAGE_BYTES);
  } catch (error) {
    // A process or a thread may end between two reads.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return 0;
    throw error;
  }
}
