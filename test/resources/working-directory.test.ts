import { readdirSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { LEXICAL, newNamespace } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

it("keeps its directory when the process changes its working directory", async () => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  const [first, second] = [temporaryDirectory(), temporaryDirectory()];
  process.chdir(first);
  const kb = new KnowledgeBase({ directory: "notes", defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb);
  process.chdir(second);
  await (await handle.ingest({ type: "TEXT", text: "The lamp is lit at dusk." })).done();
  expect(await handle.search("lamp")).toHaveLength(1);
  await kb.close();
  expect(readdirSync(second)).toEqual([]);
  expect(readdirSync(join(first, "notes"))).toContain("lorebase.db");
});
