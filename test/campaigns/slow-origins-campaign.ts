import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { constants, createBrotliCompress } from "node:zlib";
import { KnowledgeBase } from "lorebase";
import { InterfaceClient } from "../http/support/interface-client.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const MB = 1024 * 1024;
const BOMB_MB = 1024;

export interface SlowOriginsOutcome {
  /** From the request that queues a text to the answer that says that it is completed, in milliseconds. */
  readonly texts: readonly { readonly beside: string; readonly of: string; readonly ms: number }[];
  /** Of the server's process while it is sent a compressed file of 1 GB; null where the system does not tell. */
  readonly bomb: { readonly error: string | null; readonly grownMb: number | null; readonly ms: number };
}

/** Times a fresh server's texts beside origins that send a byte a second, and measures what a compressed bomb does to its memory. */
export async function slowOriginsCampaign({ origins }: { readonly origins: number }): Promise<SlowOriginsOutcome> {
  const directory = await mkdtemp(join(tmpdir(), "lorebase-slow-"));
  try {
    const keys = await makeOrganizations(directory, ["org_slow", "org_other"]);
    const server = await serve(directory);
    try {
      const spaces = keys.map((key) => makeSpace(new InterfaceClient({ url: server.url, key })));
      const [slow, other] = (await Promise.all(spaces)) as [Space, Space];
      const texts = await timeTexts({ slow, other, origins });
      return { texts, bomb: await sendBomb(other, server.pid) };
    } finally {
      await server.end();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function timeTexts({ slow, other, origins }: { slow: Space; other: Space; origins: number }) {
  const texts: { beside: string; of: string; ms: number }[] = [];
  const time = async (beside: string) => {
    texts.push({ beside, of: "another organization", ms: await timeText(other) });
    texts.push({ beside, of: "the same organization", ms: await timeText(slow) });
  };
  await time("nothing");
  for (const type of ["FILE", "CRAWL"] as const) {
    const dripping = await Promise.all(Array.from({ length: origins }, () => listen(drip)));
    const queued = dripping.map(({ url }) => {
      const payload = type === "FILE" ? { type, fileUrl: `${url}/lamp.txt` } : { type, url };
      return slow.client.createIngestJob(slow.id, { payload });
    });
    const jobs = await Promise.all(queued);
    // Of one organization's crawls not all begin at once.
    await Promise.all(dripping.slice(0, type === "FILE" ? origins : 1).map(({ asked }) => asked));
    await time(`${origins} slow origins, ${type}`);
    for (const { id } of jobs) await slow.client.cancelIngestJob(slow.id, id);
    for (const { close } of dripping) close();
  }
  return texts;
}

async function makeSpace(client: InterfaceClient): Promise<Space> {
  const embeddingConfig = { provider: "MANAGED_LEXICAL" };
  const { id } = await client.createNamespace({ name: "Notes", slug: "notes", embeddingConfig });
  return { client, id };
}

interface Space {
  readonly client: InterfaceClient;
  readonly id: string;
}

async function timeText({ client, id }: Space): Promise<number> {
  const began = performance.now();
  const job = await client.createIngestJob(id, { payload: { type: "TEXT", text: "A lamp burns oil." } });
  const { status, error } = await ended({ client, id }, job.id);
  if (status !== "COMPLETED") throw new Error(`A text's job is ${status}: ${error}`);
  return Math.round(performance.now() - began);
}

/** Asks often, but leaves the server time for its work. */
async function ended({ client, id }: Space, jobId: string) {
  while (true) {
    const job = await client.getIngestJobInfo(id, jobId);
    if (["COMPLETED", "FAILED", "CANCELLED"].includes(job.status)) return job;
    await sleep(20);
  }
}

async function sendBomb({ client, id }: Space, pid: number): Promise<SlowOriginsOutcome["bomb"]> {
  const bomb = await compressedZeros(BOMB_MB);
  const origin = await listen((_, out) => {
    out.writeHead(200, { "content-type": "text/plain", "content-encoding": "br" }).end(bomb);
  });
  const before = await residentBytes(pid);
  let most = before ?? 0;
  let looking = true;
  const look = async () => {
    while (looking) most = Math.max(most, (await residentBytes(pid)) ?? 0);
  };
  const looked = look();
  const began = performance.now();
  const job = await client.createIngestJob(id, { payload: { type: "FILE", fileUrl: `${origin.url}/bomb.txt` } });
  const { error } = await ended({ client, id }, job.id);
  const ms = Math.round(performance.now() - began);
  looking = false;
  await looked;
  origin.close();
  return { error, ms, grownMb: before === null ? null : Math.round((most - before) / MB) };
}

async function compressedZeros(megabytes: number): Promise<Buffer> {
  const compress = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const zeros = Buffer.alloc(MB);
  const write = async () => {
    for (let count = 0; count < megabytes; count++) if (!compress.write(zeros)) await once(compress, "drain");
    compress.end();
  };
  const [parts] = await Promise.all([compress.toArray(), write()]);
  return Buffer.concat(parts);
}

/** A byte a second, for ever. */
const drip: RequestListener = (_, out) => {
  out.writeHead(200, { "content-type": "text/plain" }).write("A");
  const timer = setInterval(() => out.write("."), 1000);
  out.on("close", () => clearInterval(timer));
};

async function listen(respond: RequestListener) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: once(server, "request"),
    close,
  };
}

async function makeOrganizations(directory: string, ids: readonly string[]): Promise<string[]> {
  const kb = new KnowledgeBase({ directory, worker: false });
  const keys: string[] = [];
  for (const id of ids) {
    await kb.organizations.create({ id, name: id });
    keys.push((await kb.organization(id).apiKeys.create({ name: "campaign", scope: "admin" })).key);
  }
  await kb.close();
  return keys;
}

/** Starts `lorebase serve` and waits until it listens. */
async function serve(directory: string) {
  const env = { ...process.env, LOREBASE_ALLOW_PRIVATE_HOSTS: "127.0.0.1" };
  const child = spawn(process.execPath, [MAIN, "serve", "--json", "--port", "0", "--directory", directory], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  const [said] = await Promise.race([
    once(child.stdout, "data"),
    ended.then(() => Promise.reject(new Error("The server has ended."))),
  ]);
  const { url } = JSON.parse(String(said)) as { url: string };
  return {
    url,
    pid: child.pid!,
    end: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
