import { readdirSync, readFileSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { writeDatabase } from "../support/database.js";
import { failureOf, LEXICAL } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const NAMES = ["chunk", "sound", "text", "source", "warnings", "file"] as const;
const textOf = (name: string) => `The ${name} of the lamp is kept in the tower.`;

/** A knowledge base with a text of each name, each in a job of its own, and two that share a file. */
const copy = copiesOf(async (directory) => {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  try {
    await kb.namespaces.create({ name: "Tower", slug: "tower" });
    const handle = kb.namespace("tower");
    const { key } = await handle.uploads.put({ fileName: "file.md", body: Buffer.from(textOf("file")) });
    const ids = new Map<string, string>();
    for (const name of NAMES) {
      const payload =
        name === "file" ? ({ type: "MANAGED_FILE", key } as const) : ({ type: "TEXT", text: textOf(name) } as const);
      const job = await handle.ingest(payload).done({ throwOnFailure: true });
      ids.set(name, (await handle.documents.list({ ingestJobId: job.id })).items[0]!.id);
    }
    await handle.ingest({ type: "MANAGED_FILE", key }, { metadata: { copy: true } }).done({ throwOnFailure: true });
    await kb.drain();
    return { key, ids };
  } finally {
    await kb.close();
  }
});

async function openDamaged() {
  const { directory, made } = await copy();
  await truncate(join(directory, "blobs", made.key), 10);
  writeDatabase(directory, [
    { sql: "UPDATE chunks SET text = 'swapped' WHERE text LIKE 'The chunk%'" },
    { sql: "UPDATE document_texts SET text = replace(text, 'kept', 'lost') WHERE text LIKE 'The text%'" },
    { sql: "UPDATE document_sources SET source = replace(source, 'kept', 'lost') WHERE source LIKE '%The source%'" },
    { sql: "UPDATE documents SET warnings = '[' WHERE id = ?", parameters: [made.ids.get("warnings")!] },
  ]);
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  return { kb, ids: made.ids };
}

it("is refused, with everything that is damaged named, and leaves no file", async () => {
  const { kb, ids } = await openDamaged();
  const folder = temporaryDirectory();
  const { code, message } = await failureOf(() =>
    kb.export("tower", join(folder, "bundle"), { includeOriginals: true }),
  );
  expect(code).toBe("not_ready");
  for (const name of NAMES) expect([name, message.includes(ids.get(name)!)]).toEqual([name, name !== "sound"]);
  expect(message).toContain("skipDamaged");
  expect(readdirSync(folder)).toEqual([]);
});

it("leaves out what is damaged if asked, and the bundle and the import name it", async () => {
  const { kb, ids } = await openDamaged();
  const bundle = join(temporaryDirectory(), "bundle");
  const contents = await kb.export("tower", bundle, { includeOriginals: true, skipDamaged: true });
  expect(contents).toMatchObject({ jobs: 3, files: 0, documents: 3, chunks: 3 });
  const names = contents.skipped.map(({ documentId, part }) => [documentId, part]);
  expect(names).toEqual([
    [ids.get("chunk"), "document"],
    [ids.get("text"), "document"],
    [ids.get("source"), "document"],
    [ids.get("warnings"), "document"],
    [ids.get("file"), "original"],
    [expect.any(String), "original"],
  ]);
  const reasons = contents.skipped.map(({ reason }) => reason);
  expect(reasons[0]).toMatch(/Its chunk 1 is not what was written/);
  expect(reasons[4]).toMatch(/it has 10 bytes/);
  const written = readFileSync(bundle, "utf8");
  expect(["swapped", "lost"].filter((word) => written.includes(word))).toEqual([]);
  const { namespace, skipped } = await kb.import(bundle, { slug: "copy" });
  expect(skipped).toEqual(contents.skipped);
  const hits = await kb.namespace(namespace.id).search("lamp tower", { topK: 10 });
  expect(hits.map(({ text }) => text).sort()).toEqual([textOf("file"), textOf("sound")]);
});
