import { execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { chownSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A user without rights: PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = 65_534;
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: process.env.LOREBASE_TEST_POSTGRES_FSYNC ?? "off",
  max_connections: 300,
  shared_buffers: "64MB",
  log_min_messages: "fatal",
};

/** Creates a server's data in `directory`, which then belongs to the user that runs the server. */
export function createServerData(binaries: string, directory: string): void {
  if (isRoot()) chownSync(directory, NOBODY, NOBODY);
  const initdb = ["-D", join(directory, "data"), "-U", "lorebase", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(binaries, "initdb"), initdb, { ...unprivileged(directory), stdio: "ignore" });
}

/** Starts a server, which outlives this process. Returns once it accepts connections. */
export async function startServer(
  binaries: string,
  directory: string,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const data = join(directory, "data");
  const options = Object.entries({ ...SETTINGS, port, ...settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const server = spawn(join(binaries, "postgres"), ["-D", data, ...options], unprivileged(directory));
  server.unref();
  while (!readFileIfExists(join(data, "postmaster.pid")).includes("ready")) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`);
    await sleep(20);
  }
}

/** Ends a server as a crash does (PostgreSQL's immediate mode): without a checkpoint, in the midst of transactions. */
export async function crashServer(directory: string): Promise<void> {
  const pidFile = join(directory, "data/postmaster.pid");
  if (!existsSync(pidFile)) return;
  process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
  while (existsSync(pidFile)) await sleep(10);
}

/** The options to run a program that refuses root, in a process that outlives this one. */
export function unprivileged(directory: string): SpawnOptions {
  const user = isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env.PATH!, LC_ALL: "C.UTF-8", TZ: "UTC" };
  return { ...user, env, cwd: directory, stdio: "ignore", detached: true };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function readFileIfExists(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
