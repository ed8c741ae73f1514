import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ParseSystem } from "./parse-systems.js";

// A system program, which may be missing.
const TASKSET = "taskset";

/** Where packages of `bench/peers` are found. */
export const PEERS_FOLDER = fileURLToPath(new URL("./peers", import.meta.url));

/** One pass over the files. */
export interface ParsePass {
  readonly wasRead: readonly boolean[];
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly firstMs: number | null;
  /** Peak memory of the process so far. */
  readonly peakMb: number;
}

/** A new process, on one core if the system supports it, that reads the files again and again. `end` it. */
export class ParseProcess {
  readonly #system: ParseSystem;
  readonly #files: readonly string[];
  #child: ChildProcess | null = null;
  #errors = "";

  constructor(system: ParseSystem, files: readonly string[]) {
    this.#system = system;
    this.#files = files;
  }

  /** Reads all files. The first pass starts the process, and its time includes that. */
  async pass(): Promise<ParsePass> {
    if (this.#child === null) this.#start();
    else this.#child.send("pass");
    const child = this.#child!;
    return new Promise((resolve, reject) => {
      child.once("message", (pass: ParsePass) => resolve(pass));
      child.once("exit", (code) => reject(new Error(`parsing ended with ${code}: ${this.#errors.slice(-2000)}`)));
    });
  }

  end(): void {
    this.#child?.kill();
  }

  #start(): void {
    const node = [process.execPath, "--input-type=module", "-e", scriptOf(this.#system), "--", ...this.#files];
    const isBindable = spawnSync(TASKSET, ["-c", "0", "true"]).status === 0;
    const [command, ...rest] = isBindable ? [TASKSET, "-c", "0", ...node] : node;
    this.#child = spawn(command!, rest, {
      cwd: PEERS_FOLDER,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced", // keeps NaN
    });
    this.#child.stderr!.on("data", (text) => {
      this.#errors = (this.#errors + text).slice(-2000);
    });
  }
}

/**
 * Where a program does the work, time and memory are those of the process's children, not of the process that starts
 * them. Node can't ask for them, so they are read from `/proc`: without it they are `NaN`. The peak is what the last of
 * many looks saw, which for `pdftotext` is 5 % below the true one.
 */
function scriptOf({ code, program }: ParseSystem): string {
  return `import { readFileSync } from "node:fs";
let firstMs = null;
${program ? OF_CHILDREN : OF_PROCESS}
${code}
process.once("disconnect", () => process.exit());
for (;;) {
  const wasRead = await readAll(process.argv.slice(1));
  const seconds = (performance.now() - started) / 1000;
  process.send({ wasRead, seconds, cpuSeconds: cpuSeconds() - cpuBefore, firstMs, peakMb: peakMb() });
  await new Promise((next) => process.once("message", next));
  [started, cpuBefore] = [performance.now(), cpuSeconds()];
}`;
}

const OF_PROCESS = `let started = 0, cpuBefore = 0;
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
const peakMb = () => process.resourceUsage().maxRSS / 1024;`;

const OF_CHILDREN = `let started = performance.now(), cpuBefore = 0;
function cpuSeconds() {
  const fields = read("/proc/self/stat").split(") ").at(-1).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100; // cutime and cstime, in ticks
}
let peakKb = NaN;
const peakMb = () => peakKb / 1024;
setInterval(() => {
  for (const pid of read("/proc/self/task/" + process.pid + "/children").match(/\\d+/g) ?? []) {
    const kb = Number(/VmHWM:\\s*(\\d+)/.exec(read("/proc/" + pid + "/status"))?.[1] ?? 0);
    peakKb = Math.max(peakKb || 0, kb);
  }
}, 5);
function read(path) {
  try { return readFileSync(path, "utf8"); } catch { return ""; }
}`;
