import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const dist = (path: string) => fileURLToPath(new URL(`./dist/${path}`, import.meta.url));

const ON_POSTGRES = fileURLToPath(new URL("./test/support/lorebase-on-postgres.ts", import.meta.url));

// Files that measure their process, which others would use as well. What all import is loaded once for the rest.
const OWN_PROCESS = "test/**/*.isolated.test.ts";

// The tests run what is shipped: types come from src, behaviour from dist (worker threads only exist there).
// With LOREBASE_TEST_ENGINE=postgres, every knowledge base that a test opens is in a PostgreSQL database of its own.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^#dist\/(.*)$/, replacement: `${dist("")}$1` },
      {
        find: /^lorebase$/,
        replacement: process.env.LOREBASE_TEST_ENGINE === "postgres" ? ON_POSTGRES : dist("index.js"),
      },
      { find: /^lorebase\/http$/, replacement: dist("http/index.js") },
      { find: /^lorebase\/parse$/, replacement: dist("parse.js") },
      { find: /^lorebase\/crawl$/, replacement: dist("crawl/index.js") },
      { find: /^lorebase\/evaluate$/, replacement: dist("evaluate/index.js") },
      { find: /^lorebase\/ai-sdk$/, replacement: dist("agents/ai-sdk.js") },
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
    ],
    reporters: ["default", "test/support/skipped-tests.ts"],
    globalSetup: ["test/support/postgres-server.ts"],
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
