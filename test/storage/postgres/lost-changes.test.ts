import { KnowledgeBase } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { LEXICAL } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

it("searches what is stored after a server without the last changes has taken over", async ({ skip }) => {
  const server = await openTestDatabase();
  if (!server) return skip(POSTGRES_MISSING);
  onTestFinished(() => server.drop());
  const kb = new KnowledgeBase({
    directory: temporaryDirectory(),
    database: server.url,
    masterKey: "22".repeat(32),
    sharedDirectory: true,
    defaultEmbedding: LEXICAL,
  });
  onTestFinished(() => kb.close());
  await kb.namespaces.create({ name: "Notes", slug: "notes" });
  const namespace = kb.namespace("notes");
  const add = async (text: string) => void (await (await namespace.ingest({ type: "TEXT", text })).done());
  const find = async (mode: "keyword" | "semantic") =>
    (await namespace.search("lamp", { mode, filter: { kind: { $exists: false } } })).map(({ text }) => text).toSorted();

  const lose = async (text: string) => {
    await server.query("DELETE FROM scope_changes WHERE epoch = (SELECT epoch FROM scopes)");
    await server.query("UPDATE scopes SET epoch = epoch - 1");
    const [row] = await server.query<{ seq: number }>("SELECT document_seq AS seq FROM chunks WHERE text = $1", [text]);
    for (const table of ["vectors", "keyword_parts", "chunks"])
      await server.query(`DELETE FROM ${table} WHERE document_seq = $1`, [row!.seq]);
    await server.query("DELETE FROM documents WHERE seq = $1", [row!.seq]);
  };
  // So many vectors have an index in memory.
  const items = Array.from({ length: 300 }, (_, note) => ({
    ...{ type: "TEXT" as const, text: `The harbour has ${note} boats.`, config: { metadata: { kind: "boats" } } },
  }));
  await namespace.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
  await add("The lamp is lit.");
  await add("The lamp is lost.");
  for (const mode of ["keyword", "semantic"] as const) expect(await find(mode)).toHaveLength(2);
  // The lost change was the second one, and another document takes its place and its epoch.
  await lose("The lamp is lost.");
  await add("The lamp is new.");
  for (const mode of ["keyword", "semantic"] as const)
    expect(await find(mode)).toEqual(["The lamp is lit.", "The lamp is new."]);
  // Nothing has taken the place of the lost change.
  await lose("The lamp is new.");
  for (const mode of ["keyword", "semantic"] as const) expect(await find(mode)).toEqual(["The lamp is lit."]);
});
