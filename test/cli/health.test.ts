import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { beforeAll, expect, it } from "vitest";
import { ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const directory = join(temporaryFolder(), "kb");
const health = (...args: string[]) => lorebaseHere(["health", ...args, "-n", "notes", "-d", directory]);

const RULE = "The lamp is lit before sunset, and the keeper writes the time and the weather into the log.";
let ids: readonly string[];
beforeAll(async () => {
  const kb = new KnowledgeBase({ directory });
  await kb.namespaces.create({ name: "notes", slug: "notes", embeddingConfig: LEXICAL });
  const notes = kb.namespace("notes");
  await ingestTexts(notes, [RULE, RULE.replace("weather", "wind")]);
  ids = (await notes.documents.list({ order: "asc" })).items.map(({ id }) => id);
  await kb.close();
});

it("checks all passages and counts what is wrong", async () => {
  const { code, stdout, stderr } = await health();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    "near-duplicates         1",
    "unfindable-passages     0",
    "unanswered-questions    0",
    "stale-documents         0",
    "badly-parsed-documents  0",
    "",
  ]);
  expect(JSON.parse((await health("--json", "--max-seconds", "5")).stdout)).toMatchObject({
    namespace: "notes",
    isComplete: true,
    nearDuplicates: 1,
  });
});

it("lists the findings of one kind", async () => {
  await health();
  const { findings } = JSON.parse((await health("near-duplicates", "--json")).stdout);
  expect(findings).toHaveLength(1);
  const { stdout } = await health("near-duplicates");
  const [passage, original] = [findings[0].passage.chunkId, findings[0].original.chunkId];
  expect([passage, original].sort()).toEqual(ids.map((id) => `${id}#0`).sort());
  expect(stdout).toMatch(new RegExp(`^\\d\\d %  ${passage} +of +${original}\\n$`));
  expect((await health("stale-documents")).stdout).toBe("no stale-documents in notes\n");
});

it("names the kinds if one is misspelt", async () => {
  const { code, stderr } = await health("near-duplicate");
  expect(code).toBe(2);
  expect(stderr).toMatch(/the kind must be one of near-duplicates, .* not "near-duplicate"; did you mean/);
});
