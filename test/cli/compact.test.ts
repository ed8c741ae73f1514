import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it } from "vitest";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const directory = join(temporaryFolder(), "kb");

it("prints sizes and what remains, and exits with 1 if something does", async () => {
  const compact = (...flags: string[]) => lorebaseHere(["compact", "-d", directory, ...flags]);
  expect((await compact()).code).toBe(1);
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Default", slug: "default" });
  const job = await ingestTexts(kb.namespace("default"), [`A text of many characters. ${"lamp ".repeat(50_000)}`]);
  await kb.drain();
  await kb.close();
  const large = await compact("--json");
  expect(large.code).toBe(0);
  const { places } = JSON.parse(large.stdout);
  expect(places.map(({ place }: { place: string }) => place)).toEqual(["database", "log", "vectors", "files"]);

  expect((await lorebaseHere(["jobs", "delete", job, "-d", directory])).code).toBe(0);
  const queued = await compact();
  expect(queued.code).toBe(1);
  expect(queued.stdout).toContain("1 removal is still queued.");
  const worker = new KnowledgeBase({ directory });
  await worker.drain();
  await worker.close();
  const { code, stdout, stderr } = await compact();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^MB +before +after\ndatabase +(\d\.\d) +(?!\1)0\.\d\nlog +\d\.\d +0\.0\n/);
  expect(stderr).toContain("compacting the database");
  expect((await compact("--rewrite")).code).toBe(0);
});
