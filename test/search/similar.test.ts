import { memoryVectorStore } from "lorebase/testing";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

const kb = openKnowledgeBase({ vectorStores: [providerOf(memoryVectorStore())] });
afterAll(() => kb.close());

const TEXTS = [
  "The lamp of the lighthouse burns whale oil.",
  "Whale oil burns in every lamp of the lighthouse.",
  "The lighthouse lamp is cleaned in the morning.",
  "Bread is baked on Fridays.",
];

describe.each([
  ["in the index", {}],
  ["in a vector store", { vectorStoreConfig: { provider: memoryVectorStore().provider } }],
] as const)("passages like a passage %s", (_, config) => {
  const opened = (async () => {
    const handle = await newNamespace(kb, config);
    const items = TEXTS.map((text, number) => {
      return {
        type: "TEXT" as const,
        text,
        config: { metadata: { number }, ...(number === 1 && { allow: ["user:7"] }) },
      };
    });
    await handle.ingest({ type: "BATCH", items }).done({ throwOnFailure: true });
    const [first] = await handle.search("burns whale oil", { mode: "keyword", filter: { number: 0 } });
    return { handle, id: first!.id };
  })();
  const numbers = (hits: readonly { readonly metadata?: object }[]) =>
    hits.map(({ metadata }) => (metadata as { number: number }).number);

  it("are the nearest by meaning, without the passage itself", async () => {
    const { handle, id } = await opened;
    const hits = await handle.similar(id);
    expect(numbers(hits).slice(0, 2)).toEqual([1, 2]);
    expect(hits).toHaveLength(3);
    const bySearch = await handle.search(TEXTS[0]!, { mode: "semantic" });
    expect(hits.map(({ score }) => score)).toEqual(bySearch.slice(1).map(({ score }) => score));
    expect(numbers(await handle.similar(id, { filter: { number: { $gte: 2 } }, topK: 1 }))).toEqual([2]);
  });

  it("are those that principals see, of a passage that they see", async () => {
    const { handle, id } = await opened;
    expect(numbers(await handle.similar(id, { principals: ["user:8"] }))).toEqual([2, 3]);
    const [hidden] = await handle.similar(id, { topK: 1 });
    expect(numbers(await handle.similar(hidden!.id, { principals: ["user:7"], topK: 1 }))).toEqual([0]);
    expect((await failureOf(() => handle.similar(hidden!.id, { principals: ["user:8"] }))).code).toBe("not_found");
  });

  it("of an unknown passage, or of one of another namespace or tenant, are an error", async () => {
    const { handle, id } = await opened;
    const other = await newNamespace(kb, config);
    const [documentId] = id.split("#");
    expect((await failureOf(() => other.similar(id))).message).toBe(`There is no document "${documentId}".`);
    expect((await failureOf(() => handle.tenant("acme").similar(id))).code).toBe("not_found");
    expect((await failureOf(() => handle.similar(`${documentId}#7`))).message).toBe(
      `There is no passage "${documentId}#7".`,
    );
    for (const wrong of ["doc_1", "doc_1#", "doc_1#-1", "#1", "doc_1#01"])
      expect((await failureOf(() => handle.similar(wrong))).message).toContain(
        `passageId is ${JSON.stringify(wrong)}, not the id of a passage`,
      );
  });
});
