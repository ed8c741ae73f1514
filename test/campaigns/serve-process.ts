import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PAGE_BYTES = 4096;
const MEGABYTE = 1024 * 1024;
/** `_SC_CLK_TCK`, the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** A `lorebase serve` in a process of its own. Linux only. */
export class ServeProcess {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the server has logged as a warning or an error, one JSON object each. */
  readonly problems: readonly string[];
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, { url, apiKey }: Welcome, problems: readonly string[]) {
    this.#process = child;
    this.url = url;
    this.headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    this.problems = problems;
  }

  /** @param directory Without an API key, since the server tells the key that it creates. */
  static async start(directory: string): Promise<ServeProcess> {
    const flags = ["--json", "--port", "0", "--host", "127.0.0.1", "--directory", directory];
    const child = spawn(process.execPath, [MAIN, "serve", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    const problems: string[] = [];
    createInterface({ input: child.stderr! }).on("line", (line) => {
      if (!line.includes('"level":"info"')) problems.push(line);
    });
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout! }), "line"),
      once(child, "exit").then(([code]) => {
        throw new Error(`The server ended with the code ${code}.`);
      }),
    ]);
    return new ServeProcess(child, JSON.parse(line), problems);
  }

  /** Of the server and all of its descendants, now. */
  get residentMb(): number {
    const pages = this.#sum((pid) => Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]));
    return (pages * PAGE_BYTES) / MEGABYTE;
  }

  /** Open files and sockets of the server and all of its descendants, now. */
  get descriptors(): number {
    return this.#sum((pid) => readdirSync(`/proc/${pid}/fd`).length);
  }

  /** Processor time of the server, without its descendants, until now. */
  get processorSeconds(): number {
    // The name of the program, in parentheses, may contain spaces.
    const [, fields] = readFileSync(`/proc/${this.#process.pid}/stat`, "latin1").split(") ");
    const [user, system] = fields!.split(" ").slice(11, 13).map(Number);
    return (user! + system!) / TICKS_PER_SECOND;
  }

  /** Stops the server. @returns its exit code; `null` if a signal ended it */
  async stop(): Promise<number | null> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const [code] = await ended;
    return code;
  }

  #sum(measure: (pid: number) => number): number {
    return sumOverTree(this.#process.pid!, measure);
  }
}

interface Welcome {
  readonly url: string;
  readonly apiKey: string;
}

function sumOverTree(pid: number, measure: (pid: number) => number): number {
  try {
    const own = measure(pid);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
    return children.reduce((sum, child) => sum + sumOverTree(child, measure), own);
  } catch (error) {
    // A process or a thread may end between two reads.
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) return 0;
    throw error;
  }
}
