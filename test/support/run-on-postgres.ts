import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { installPostgres } from "./install-postgres.js";

// npm run test:postgres -- [--server 18] [--pgbouncer] [test/search …]
// Runs tests with each knowledge base in a PostgreSQL database of its own.

const { values, positionals } = parseArgs({
  options: { server: { type: "string" }, pgbouncer: { type: "boolean", default: false } },
  allowPositionals: true,
});
/** Folders with tests of what is stored. */
const FOLDERS = [
  "answer",
  "canary",
  "crawl",
  "evaluate",
  "events",
  "http",
  "ingest",
  "resources",
  "search",
  "sources",
  "storage",
  "sync",
];

if (values.server !== undefined && values.server !== "18")
  throw new Error(
    `--server ${values.server}: only 18 can be installed. LOREBASE_TEST_POSTGRES_BIN names another server.`,
  );
const env = {
  ...process.env,
  LOREBASE_TEST_ENGINE: "postgres",
  ...(values.server && { LOREBASE_TEST_POSTGRES_BIN: installPostgres() }),
  ...(values.pgbouncer && { LOREBASE_TEST_PGBOUNCER: "1" }),
};
const tests = positionals.length > 0 ? positionals : FOLDERS.map((folder) => `test/${folder}`);
const { status } = spawnSync("npx", ["vitest", "run", ...tests], { env, stdio: "inherit" });
process.exitCode = status ?? 1;
