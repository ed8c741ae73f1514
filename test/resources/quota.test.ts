import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { KnowledgeBase as InDirectory } from "#dist/index.js";
import { failureOf, ingestTexts, LEXICAL, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

/** An organization with a quota, and a namespace of it. */
async function newOrganization(id: string, quota: { documents?: number; bytes?: number; tokens?: number }) {
  await kb.organizations.create({ id, name: "Acme", quota });
  const organization = kb.organization(id);
  await organization.namespaces.create({ name: "Log", slug: "log", embeddingConfig: LEXICAL });
  return { organization, log: organization.namespace("log") };
}

it("is set, read and changed one limit at a time", async () => {
  await kb.organizations.create({ id: "org_limits", name: "Acme", quota: { documents: 3 } });
  const changed = await kb.organizations.update("org_limits", { quota: { bytes: 100 } });
  expect(changed.quota).toEqual({ documents: 3, bytes: 100, tokens: null });
  expect((await kb.organizations.get("org_limits")).quota).toEqual(changed.quota);
  await kb.organizations.update("org_limits", { quota: { documents: null } });
  expect(await kb.organization("org_limits").usage()).toEqual({
    documents: { used: 0, limit: null },
    bytes: { used: 0, limit: 100 },
    tokens: { used: 0, limit: null },
  });
  const refused = await failureOf(() => kb.organizations.update("org_limits", { quota: { tokens: -1 } }));
  expect(refused.issues[0]?.field).toBe("quota.tokens");
  expect((await failureOf(() => kb.organizations.usage("org_none"))).code).toBe("not_found");
});

it("refuses what does not fit, and has room again at once after a deletion", async () => {
  const { organization, log } = await newOrganization("org_room", { documents: 2 });
  const first = await ingestTexts(log, ["The lamp is lit at dusk.", "The horn sounds in fog."]);
  const refused = await failureOf(() => log.ingest({ type: "TEXT", text: "One too many." }).done());
  expect(refused.code).toBe("limit_exceeded");
  expect(refused.message).toBe(
    "The organization org_room may store 2 documents: 2 are used, and this needs at least 1 more. " +
      "Delete documents, or raise the quota.",
  );
  const crawl = await failureOf(() => log.ingest({ type: "CRAWL", url: "https://example.com/" }).done());
  expect(crawl.code).toBe("limit_exceeded");
  const again = await log.ingestJobs.reingest(first);
  expect((await again.done()).status).toBe("COMPLETED");
  const { items } = await log.documents.list();
  await log.documents.delete(items[0]!.id);
  await ingestTexts(log, ["The keeper sleeps by day."]);
  expect((await organization.usage()).documents).toEqual({ used: 2, limit: 2 });
  await organization.namespaces.delete("log");
  expect(await organization.usage()).toMatchObject({ documents: { used: 0 }, bytes: { used: 0 }, tokens: { used: 0 } });
});

it("counts what documents have, and fails a document of too many tokens with the reason", async () => {
  const { organization, log } = await newOrganization("org_tokens", { tokens: 40 });
  const text = "The lamp is lit at dusk and put out at dawn.";
  await ingestTexts(log, [text]);
  const { items } = await log.documents.list();
  expect(await organization.usage()).toEqual({
    documents: { used: 1, limit: null },
    bytes: { used: text.length, limit: null },
    tokens: { used: items[0]!.totalTokens, limit: 40 },
  });
  const job = await log.ingest({ type: "TEXT", text: "fog ".repeat(200) }).done();
  expect(job.status).toBe("FAILED");
  expect(job.error).toMatch(/may store 40 tokens: \d+ are used, and this needs at least \d+ more/);
  expect((await organization.usage()).tokens.used).toBe(items[0]!.totalTokens);
});

it("ends an import that does not fit, of which nothing is left", async () => {
  const file = join(temporaryDirectory(), "log.lorebase");
  await exportTo(file, ["The lamp is lit at dusk.", "The horn sounds in fog."]);
  await kb.organizations.create({ id: "org_import", name: "Small", quota: { documents: 1 } });
  const small = kb.organization("org_import");
  expect((await failureOf(() => small.import(file))).code).toBe("limit_exceeded");
  expect((await small.usage()).documents.used).toBe(0);
  await kb.organizations.update("org_import", { quota: { documents: 2 } });
  await small.import(file);
  expect((await small.usage()).documents).toEqual({ used: 2, limit: 2 });
});

/** Exports a namespace with some texts. Its knowledge base is in a directory: one in PostgreSQL exports nothing. */
async function exportTo(file: string, texts: readonly string[]): Promise<void> {
  const source = new InDirectory({ directory: ":memory:", defaultEmbedding: LEXICAL });
  try {
    const log = await newNamespace(source, { embeddingConfig: LEXICAL });
    await ingestTexts(log, texts);
    await log.export(file);
  } finally {
    await source.close();
  }
}
