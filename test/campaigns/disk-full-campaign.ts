import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { scriptArguments } from "../support/script-arguments.js";

type Place = "database" | "blobs" | "downloads";
/** A file system without space, or a limit on the size of files. */
type Cause = "disk" | "limit";

export interface DiskFullRound {
  readonly place: Place;
  readonly cause: Cause;
  /** In MiB: of the disk, or of the largest file. */
  readonly size: number;
}

const MiB = 1024 * 1024;
const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const CHILD = scriptArguments(fileURLToPath(new URL("./disk-full-child.ts", import.meta.url)));
/** The time within which ingest must go on. */
const RECOVERY_MS = 15_000;
const WORDS = ["lamp", "harbour", "keeper", "dusk", "wick", "oil", "tower", "fog", "bell", "tide"];

/** Returns why this machine can't run a round; `null` if it can. */
export function missingRights({ cause }: Pick<DiskFullRound, "cause">): string | null {
  const folder = mkdtempSync(join(tmpdir(), "lorebase-full-"));
  try {
    if (cause === "limit") execFileSync("prlimit", ["--version"]);
    else {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "pipe" });
      execFileSync("umount", [folder]);
    }
    return null;
  } catch (error) {
    return `The round needs ${cause === "disk" ? "the right to mount a tmpfs" : "the command prlimit"}: ${error}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fills one place of a server, and returns everything that didn't go as it should. */
export async function diskFullRound(round: DiskFullRound): Promise<readonly string[]> {
  const run = new Round(round);
  try {
    return await run.run();
  } finally {
    await run.end();
  }
}

interface Job {
  readonly id: string;
  readonly completedAt: string | null;
  readonly failedAt: string | null;
  readonly error: string | null;
}

interface Failure {
  readonly error: { readonly message: string };
}

interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

class Round {
  readonly #round: DiskFullRound;
  readonly #directory = mkdtempSync(join(tmpdir(), "lorebase-full-"));
  readonly #mounted: string;
  readonly #faults: string[] = [];
  #child: ChildProcess | null = null;
  #origin: Server | null = null;
  #url = "";
  #key = "";
  #path = "";
  #written = 0;

  constructor(round: DiskFullRound) {
    this.#round = round;
    this.#mounted = round.place === "database" ? this.#directory : join(this.#directory, round.place);
  }

  async run(): Promise<readonly string[]> {
    const { place, cause, size } = this.#round;
    if (cause === "disk") {
      mkdirSync(this.#mounted, { recursive: true });
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}m`, "tmpfs", this.#mounted]);
    }
    await this.#start();
    const { body } = await this.#call<{ data: { id: string } }>("POST", "/v1/namespace", {
      name: "Full",
      slug: "full",
    });
    this.#path = `/v1/namespace/${body.data.id}`;
    const first = await this.#submitted({ type: "TEXT", text: "The lamp is lit at dusk by the keeper." });
    await this.#until("the first job completes", async () => (await this.#job(first)).completedAt !== null);
    const waiting = await this.#fill();
    await this.#checkWhileFull(first, place);
    if (place === "database" && cause === "disk") await this.#restart();
    const freedAt = performance.now();
    if (cause === "disk") execFileSync("mount", ["-o", `remount,size=${size * 8}m`, this.#mounted]);
    else execFileSync("prlimit", [`--pid=${this.#child!.pid}`, "--fsize=unlimited:"]);
    await this.#until("the waiting job completes", async () => (await this.#job(waiting)).completedAt !== null);
    const waitedMs = performance.now() - freedAt;
    if (waitedMs > RECOVERY_MS) this.#faults.push(`ingest went on after ${Math.round(waitedMs)} ms`);
    await this.#until("the server is ready", async () => (await this.#call("GET", "/ready")).status === 200);
    return this.#faults;
  }

  async end(): Promise<void> {
    await this.#stop();
    this.#origin?.close();
    if (this.#round.cause === "disk") execFileSync("umount", ["-l", this.#mounted]);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Adds content until a write fails or a job waits. Returns the id of a job that waits for space. */
  async #fill(): Promise<string> {
    const { place } = this.#round;
    if (place === "blobs") return this.#fillBlobs();
    if (place === "downloads") return this.#fillDownloads();
    for (;;) {
      const { status, body } = await this.#submit({ type: "TEXT", text: this.#text(200_000) });
      if (status === 507) {
        this.#expectPlace(body);
        break;
      }
      if (status !== 201) throw new Error(`A job was answered with ${status}: ${JSON.stringify(body)}`);
      const job = body.data.id;
      const outcome = await this.#settled(job);
      if (outcome === "waits") return job;
    }
    // The submission itself found no space: a job that was accepted before is what waits, if there is one.
    return this.#submitLater();
  }

  /** Submits a job as soon as the server accepts it. */
  #submitLater(): Promise<string> {
    this.#later = this.#text(20_000);
    return Promise.resolve("");
  }
  #later: string | null = null;

  async #fillBlobs(): Promise<string> {
    const length = this.#round.cause === "disk" ? MiB : (this.#round.size + 1) * MiB;
    for (;;) {
      const bytes = Buffer.from(this.#text(length));
      const file = { fileName: "note.txt", contentType: "text/plain", fileSize: bytes.length };
      const upload = await this.#call<{ data: { url: string } }>("POST", `${this.#path}/uploads`, file);
      const response = await fetch(new URL(upload.body.data.url, this.#url), {
        method: "PUT",
        headers: { "content-type": "text/plain" },
        body: bytes,
      });
      if (response.status === 200) continue;
      if (response.status !== 507) this.#faults.push(`an upload was answered with ${response.status}`);
      this.#expectPlace((await response.json()) as Failure);
      return this.#submitLater();
    }
  }

  async #fillDownloads(): Promise<string> {
    const body = `<p>The lamp is lit at dusk.</p><!--${"-".repeat((this.#round.size + 2) * MiB)}>`;
    const origin = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(body);
    });
    this.#origin = origin;
    await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
    const { port } = origin.address() as AddressInfo;
    const job = await this.#submitted({ type: "FILE", fileUrl: `http://127.0.0.1:${port}/note.html` });
    await this.#settled(job);
    return job;
  }

  /** Waits until a job has ended or waits because a disk is full. */
  async #settled(id: string): Promise<"ended" | "waits"> {
    const deadline = performance.now() + 60_000;
    for (;;) {
      if (performance.now() > deadline) throw new Error("A job neither ended nor waited for a minute.");
      const job = await this.#job(id);
      if (job.failedAt !== null) this.#faults.push(`the job failed: ${job.error}`);
      if (job.completedAt !== null || job.failedAt !== null) return "ended";
      const warnings = await this.#warnings();
      const warning = warnings.find((message) => message.includes("is full") && message.includes(id));
      if (warning) {
        this.#expectPlace({ error: { message: warning } });
        return "waits";
      }
      await pause(100);
    }
  }

  async #checkWhileFull(first: string, place: Place): Promise<void> {
    const search = await this.#call<{ data: readonly unknown[] }>("POST", `${this.#path}/search`, {
      query: "lamp at dusk",
      mode: "keyword",
    });
    if (search.status !== 200 || search.body.data.length === 0) this.#faults.push(`a search: ${search.status}`);
    // A file that was too large is gone at once, and only the database knows a limit on the size of files.
    if (place === "database" || (place === "blobs" && this.#round.cause === "disk")) {
      const ready = await this.#call<{ reason: string }>("GET", "/ready");
      if (ready.status !== 503 || !/full/.test(ready.body.reason)) this.#faults.push(`ready: ${ready.status}`);
    }
    const before = this.#usedBytes();
    const { body } = await this.#call<{ data: readonly Job[] }>(
      "GET",
      `${this.#path}/ingest-jobs?perPage=100&order=asc`,
    );
    const done = body.data.filter((job) => job.completedAt !== null && job.id !== first).slice(0, 3);
    for (const { id } of done) {
      const { status } = await this.#call("DELETE", `${this.#path}/ingest-jobs/${id}`);
      if (status !== 200) this.#faults.push(`a deletion: ${status}`);
    }
    for (const { id } of done)
      await this.#until("a job is removed", async () => {
        return (await this.#call("GET", `${this.#path}/ingest-jobs/${id}`)).status === 404;
      });
    if (place === "blobs" && done.length > 0 && this.#usedBytes() >= before)
      this.#faults.push("deletions free nothing");
  }

  async #restart(): Promise<void> {
    this.#child!.kill("SIGKILL");
    await new Promise((resolve) => this.#child!.once("exit", resolve));
    this.#child = null;
    await this.#start();
    const search = await this.#call<{ data: readonly unknown[] }>("POST", `${this.#path}/search`, {
      query: "lamp at dusk",
      mode: "keyword",
    });
    if (search.status !== 200) this.#faults.push(`a search after a restart: ${search.status}`);
  }

  async #start(): Promise<void> {
    const { cause, size } = this.#round;
    const node = [process.execPath, ...CHILD, DIST, this.#directory];
    const [command, ...parameters] = cause === "disk" ? node : ["prlimit", `--fsize=${size * MiB}:`, ...node];
    const child = spawn(command!, parameters, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child = child;
    let errors = "";
    child.stderr!.on("data", (text) => {
      errors += text;
    });
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout! }).once("line", resolve);
      child.once("exit", () => reject(new Error(`The server ended: ${errors}`)));
    });
    const { url, key } = JSON.parse(line) as { url: string; key: string | null };
    this.#url = url;
    this.#key = key ?? this.#key;
  }

  async #stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  #warnings(): Promise<readonly string[]> {
    const child = this.#child!;
    return new Promise((resolve) => {
      child.once("message", (message) => resolve(message as readonly string[]));
      child.send("warnings");
    });
  }

  #expectPlace({ error: { message } }: Failure): void {
    const name = { database: "database", blobs: "blob store", downloads: "temporary files" }[this.#round.place];
    if (!message.includes(`The disk of the ${name} is full`)) this.#faults.push(`the error names no place: ${message}`);
  }

  #text(characters: number): string {
    const words: string[] = [];
    for (let length = 0; length < characters; ) {
      const word = `${WORDS[this.#written++ % WORDS.length]}${(this.#written * 7919) % 100_003}`;
      words.push(word);
      length += word.length + 1;
    }
    return words.join(" ");
  }

  #usedBytes(): number {
    const entries = readdirSync(this.#mounted, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  }

  #submit(payload: object): Promise<Answer<{ readonly data: Job } & Failure>> {
    return this.#call("POST", `${this.#path}/ingest-jobs`, { payload });
  }

  async #submitted(payload: object): Promise<string> {
    const { status, body } = await this.#submit(payload);
    if (status !== 201) throw new Error(`A job was answered with ${status}: ${JSON.stringify(body)}`);
    return body.data.id;
  }

  /** A job; one that could not be submitted while the disk was full is submitted first. */
  async #job(id: string): Promise<Job> {
    if (id !== "") return (await this.#call<{ data: Job }>("GET", `${this.#path}/ingest-jobs/${id}`)).body.data;
    if (this.#later !== null) {
      const { status, body } = await this.#submit({ type: "TEXT", text: this.#later });
      if (status !== 201) return { id, completedAt: null, failedAt: null, error: null };
      this.#later = null;
      this.#laterJob = body.data.id;
    }
    return this.#job(this.#laterJob);
  }
  #laterJob = "";

  async #call<Body>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  /** Waits for something that must happen within a minute. */
  async #until(what: string, happens: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (!(await happens())) {
      if (performance.now() > deadline) throw new Error(`It took more than a minute until ${what}.`);
      await pause(100);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
