import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { findPostgres } from "./test/support/postgres-binaries.js";

const dist = (path: string) => fileURLToPath(new URL(`./dist/${path}`, import.meta.url));

const ON_POSTGRES = fileURLToPath(new URL("./test/support/lorebase-on-postgres.ts", import.meta.url));

/** Runs all tests with knowledge bases in PostgreSQL databases: npm run test:postgres. */
const isOnPostgres = process.env.LOREBASE_TEST_ENGINE === "postgres";
const hasPostgres = Boolean(process.env.LOREBASE_TEST_POSTGRES) || findPostgres() !== null;
// What runs over both engines in every run, because it shows most about an engine.
const ON_BOTH_ENGINES = [
  "test/http/interface.test.ts",
  "test/ingest/{cleaning,draining,retries}.test.ts",
  "test/resources/{hosting,ingest-jobs,isolation,namespaces}.test.ts",
  "test/search/filters.property.test.ts",
];

// Files that measure their process, which others would use as well. What all import is loaded once for the rest.
const OWN_PROCESS = "test/**/*.isolated.test.ts";

const ON_POSTGRES_TOO: TestProjectInlineConfiguration = {
  extends: true,
  resolve: { alias: [{ find: /^lorebase$/, replacement: ON_POSTGRES }] },
  test: {
    name: "postgres",
    include: ON_BOTH_ENGINES,
    isolate: false,
    setupFiles: ["test/support/each-file.ts"],
    env: { LOREBASE_TEST_ENGINE: "postgres" },
  },
};

// The tests run what is shipped: types come from src, behaviour from dist (worker threads only exist there).
// With LOREBASE_TEST_ENGINE=postgres, every knowledge base that a test opens is in a PostgreSQL database of its own.
// Without a server, these tests don't run.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^#dist\/(.*)$/, replacement: `${dist("")}$1` },
      { find: /^lorebase$/, replacement: isOnPostgres ? ON_POSTGRES : dist("index.js") },
      { find: /^lorebase\/http$/, replacement: dist("http/index.js") },
      { find: /^lorebase\/parse$/, replacement: dist("parse.js") },
      { find: /^lorebase\/crawl$/, replacement: dist("crawl/index.js") },
      { find: /^lorebase\/evaluate$/, replacement: dist("evaluate/index.js") },
      { find: /^lorebase\/ai-sdk$/, replacement: dist("agents/ai-sdk.js") },
      { find: /^lorebase\/webhooks$/, replacement: dist("webhooks/index.js") },
      { find: /^lorebase\/testing$/, replacement: dist("testing/index.js") },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [OWN_PROCESS],
          isolate: false,
          setupFiles: ["test/support/each-file.ts"],
        },
      },
      { extends: true, test: { name: "isolated", include: [OWN_PROCESS] } },
      ...(hasPostgres && !isOnPostgres ? [ON_POSTGRES_TOO] : []),
    ],
    reporters: ["default", "./test/support/skipped-tests.ts"],
    globalSetup: ["test/support/test-run.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is polled for comes when the machine has time for it; the default of 1 s fails on a busy one.
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    // One more than the cores of a small machine: many of these tests wait for processes and disks.
    maxWorkers: 3,
    server: { deps: { external: [/\/dist\//] } },
  },
});
