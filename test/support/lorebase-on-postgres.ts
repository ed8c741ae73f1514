import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { KnowledgeBase as OnDisk } from "#dist/index.js";
import { afterAll } from "vitest";
import type { KnowledgeBaseOptions } from "../../src/options.js";
import { serverUrl } from "./postgres-server.js";

// Instead of the package, with LOREBASE_TEST_ENGINE=postgres: its knowledge bases are in databases instead of files.
export * from "#dist/index.js";

const server = await serverUrl();
if (server === null) throw new Error("LOREBASE_TEST_ENGINE=postgres needs PostgreSQL's binaries or LOREBASE_TEST_POSTGRES");
/** Keys that a directory would hold. */
const MASTER_KEY = "11".repeat(32);
const databases = new Map<string, string>();
const created: string[] = [];

afterAll(() => {
  for (const name of created.splice(0)) psql(`DROP DATABASE ${name} WITH (FORCE)`);
});

/** A knowledge base in a database, which is the same for the same directory. */
export class KnowledgeBase extends OnDisk {
  constructor(options: KnowledgeBaseOptions = {}) {
    // Options that are refused are refused as they are.
    new OnDisk(options);
    super({ masterKey: MASTER_KEY, sharedDirectory: true, database: databaseOf(options.directory), ...options });
  }
}

function databaseOf(directory: string | undefined): string {
  const known = directory === ":memory:" || directory === undefined ? undefined : databases.get(directory);
  if (known) return known;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  psql(`CREATE DATABASE ${name}`);
  created.push(name);
  const url = new URL(server!);
  url.pathname = `/${name}`;
  if (directory !== undefined) databases.set(directory, url.href);
  return url.href;
}

/** Runs a statement before it returns, as a constructor must. */
function psql(sql: string): void {
  execFileSync("psql", ["--quiet", "--no-psqlrc", "--dbname", server!, "--command", sql], { stdio: "pipe" });
}
