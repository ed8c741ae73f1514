import { execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The directory of the run's server, which is empty until a test needs the server. */
const RUN = "LOREBASE_TEST_POSTGRES_RUN";
const GIVEN = "LOREBASE_TEST_POSTGRES";
/** Postgres refuses to run as root. */
const NOBODY = 65_534;

/** Before a run of the tests: names the directory in which the first test that needs a server starts it. */
export function setup(): void {
  process.env[RUN] = mkdtempSync(join(tmpdir(), "lorebase-postgres-"));
}

/** After the run: stops the server. */
export function teardown(): void {
  const directory = process.env[RUN]!;
  const pidFile = join(directory, "data/postmaster.pid");
  if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** The URL of a server, which is started unless the environment names one; `null` if there are no binaries. */
export async function serverUrl(): Promise<string | null> {
  const given = process.env[GIVEN];
  if (given) return given;
  const binaries = findBinaries();
  if (!binaries) return null;
  const directory = process.env[RUN]!;
  const urlFile = join(directory, "url");
  try {
    mkdirSync(join(directory, "starting"));
  } catch {
    // Another process of this run starts the server.
    while (!existsSync(urlFile)) await sleep(20);
    return readFileSync(urlFile, "utf8");
  }
  const url = await start(binaries, directory);
  writeFileSync(urlFile, url);
  return url;
}

function findBinaries(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(root, version, "bin")), ...process.env.PATH!.split(":")];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"))) ?? null;
}

async function start(binaries: string, directory: string): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(directory, "data");
  const env = { PATH: process.env.PATH!, LC_ALL: "C.UTF-8", TZ: "UTC" };
  const initdb = ["-D", data, "-U", "lorebase", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(binaries, "initdb"), initdb, { ...user, env, cwd: directory, stdio: "ignore" });
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    fsync: process.env.LOREBASE_TEST_POSTGRES_FSYNC ?? "off",
    max_connections: 300,
    shared_buffers: "64MB",
    log_min_messages: "fatal",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(binaries, "postgres"), ["-D", data, ...options], {
    ...user,
    ...{ env, cwd: directory, stdio: "ignore", detached: true },
  });
  server.unref();
  while (!readFileIfExists(join(data, "postmaster.pid")).includes("ready")) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`);
    await sleep(20);
  }
  return `postgres://lorebase@127.0.0.1:${port}/postgres`;
}

function readFileIfExists(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
