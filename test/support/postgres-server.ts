import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPgbouncer, stopPgbouncer } from "./pgbouncer.js";
import { findPostgres } from "./postgres-binaries.js";
import { crashServer, createServerData, freePort, startServer } from "./postgres-process.js";

/** The directory of the run's server, which is empty until a test needs the server. */
const RUN = "LOREBASE_TEST_POSTGRES_RUN";
const GIVEN = "LOREBASE_TEST_POSTGRES";
/** Whether tests connect to PgBouncer instead of the server that they start. */
export const IS_POOLED = process.env.LOREBASE_TEST_PGBOUNCER === "1" && !process.env[GIVEN];

/** URLs of one server. */
export interface ServerUrls {
  /** Of its maintenance database, in which databases are created. */
  readonly admin: string;
  /** Through which databases are used: the server itself, or a pooler before it. */
  readonly clients: string;
}

/** Before a run of the tests: names the directory in which the first test that needs a server starts it. */
export function setup(): void {
  process.env[RUN] = mkdtempSync(join(tmpdir(), "lorebase-postgres-"));
}

/** After the run: stops the server. */
export async function teardown(): Promise<void> {
  const directory = process.env[RUN]!;
  await crashServer(directory);
  stopPgbouncer(directory);
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** The run's server, which is started unless the environment names one; `null` if there are no binaries. */
export async function testServer(): Promise<ServerUrls | null> {
  const given = process.env[GIVEN];
  if (given) return { admin: given, clients: given };
  const binaries = findPostgres();
  if (!binaries) return null;
  const directory = process.env[RUN]!;
  const urlFile = join(directory, "urls.json");
  try {
    mkdirSync(join(directory, "starting"));
  } catch {
    // Another process of this run starts the server.
    while (!existsSync(urlFile)) await sleep(20);
    return JSON.parse(readFileSync(urlFile, "utf8"));
  }
  const port = await freePort();
  createServerData(binaries, directory);
  await startServer(binaries, directory, port);
  const pooler = IS_POOLED ? await startPgbouncer(directory, port) : port;
  const urls = { admin: urlAt(port), clients: urlAt(pooler) };
  writeFileSync(`${urlFile}.new`, JSON.stringify(urls));
  renameSync(`${urlFile}.new`, urlFile);
  return urls;
}

function urlAt(port: number): string {
  return `postgres://lorebase@127.0.0.1:${port}/postgres`;
}
