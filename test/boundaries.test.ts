import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

// One file for each pair, in a folder of its own that has this repository's biome.json.
const refused = [
  ["src/parsers/p.ts", "../database/schema.js"],
  ["src/parsers/p.ts", "../embedders/lexical.js"],
  ["src/parsers/p.ts", "../knowledge-base.js"],
  ["src/parsers/pdf/p.ts", "../../database/schema.js"],
  ["src/parsers/pdf/p.ts", "../../options.js"],
  ["src/embedders/e.ts", "../vector-stores/sqlite.js"],
  ["src/vector-stores/v.ts", "../database/schema.js"],
  ["src/blob-stores/b.ts", "../resources/uploads.js"],
  ["src/interfaces/i.ts", "../errors.js"],
  ["src/interfaces/i.ts", "../database/schema.js"],
  ["src/search/s.ts", "../ingest/worker.js"],
  ["src/search/s.ts", "../embedders/lexical.js"],
  ["src/resources/r.ts", "../knowledge-base.js"],
  ["src/database/d.ts", "../resources/documents.js"],
  ["src/database/migrations/m.ts", "../../resources/documents.js"],
  ["src/local-models/l.ts", "../embedders/lexical.js"],
  ["src/scan/s.ts", "../database/schema.js"],
  ["src/search/s.ts", "../scan/record.js"],
  ["src/cli/c.ts", "../database/schema.js"],
  ["src/cli/c.ts", "../knowledge-base.js"],
  ["src/cli/c.ts", "../http/serve.js"],
  ["src/resources/r.ts", "../index.js"],
  ["src/preparation/p.ts", "../database/schema.js"],
  ["src/calls/c.ts", "../embedders/lexical.js"],
  ["src/sources/s.ts", "../database/schema.js"],
  ["src/sources/crawl/s.ts", "../../ingest/worker.js"],
  ["src/search/s.ts", "../sources/fetch-file.js"],
  ["src/evaluation/v.ts", "../search/search.js"],
] as const;
const allowed = [
  ["src/sources/s.ts", "../net/guarded-fetch.js"],
  ["src/sources/crawl/s.ts", "../../net/guarded-fetch.js"],
  ["src/sources/crawl/s.ts", "../fetch-file.js"],
  ["src/sources/crawl/s.ts", "../../parsers/html-tree.js"],
  ["src/ingest/i.ts", "../sources/fetch-file.js"],
  ["src/parsers/p.ts", "../interfaces/block.js"],
  ["src/parsers/p.ts", "../types.js"],
  ["src/parsers/p.ts", "./pdf/layout.js"],
  ["src/parsers/p.ts", "mammoth"],
  ["src/parsers/pdf/p.ts", "../text.js"],
  ["src/parsers/pdf/p.ts", "../../errors.js"],
  ["src/embedders/e.ts", "../local-models/pool.js"],
  ["src/search/s.ts", "../database/schema.js"],
  ["src/search/s.ts", "../filter.js"],
  ["src/search/s.ts", "../engine.js"],
  ["src/database/migrations/m.ts", "../schema.js"],
  ["src/database/migrations/m.ts", "../../types.js"],
  ["src/database/procedures/p.ts", "../../scan/record.js"],
  ["src/cli/c.ts", "../index.js"],
  ["src/cli/c.ts", "../evaluation/evaluate.js"],
  ["src/cli/c.ts", "../http/index.js"],
  ["src/knowledge-base.ts", "./search/search.js"],
] as const;

it("lint catches an import across the folder boundaries, and no other", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lorebase-boundaries-")));
  try {
    copyFileSync(new URL("../biome.json", import.meta.url), join(root, "biome.json"));
    const pairs = [...refused, ...allowed].map(([file, specifier], index) => {
      const path = file.replace(/\.ts$/, `${index}.ts`);
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `import { x } from "${specifier}";\n\nconsole.log(x);\n`);
      return { path, pair: `${file} -> ${specifier}` };
    });
    const flagged = new Set(lint(root));
    const caught = pairs.filter(({ path }) => flagged.has(join(root, path))).map(({ pair }) => pair);
    expect(caught).toEqual(refused.map(([file, specifier]) => `${file} -> ${specifier}`));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

/** Files in which Biome finds a restricted import. */
function lint(root: string): string[] {
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const run = spawnSync(process.execPath, [biome, "lint", "--reporter=github", "--max-diagnostics=none"], {
    cwd: root,
    encoding: "utf8",
  });
  return [...run.stdout.matchAll(/title=lint\/style\/noRestrictedImports,file=([^,]+)/g)].map((match) => match[1]!);
}
