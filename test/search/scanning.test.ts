import type { NamespaceHandle, SearchOptions } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { givenVectors } from "../support/given-vectors.js";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const vectors = new Map(
  Array.from({ length: 1100 }, (_, index) => [
    `text ${index}`,
    Float32Array.of(Math.cos(index), Math.sin(index), index / 1100),
  ]),
);

describe("a scope of more than a thousand passages", () => {
  const opened = [undefined, { scanMemoryMb: 0 }].map((limits) =>
    openKnowledgeBase({ embedders: [givenVectors(vectors)], ...(limits ? { limits } : {}) }),
  );
  let handles: readonly NamespaceHandle[];
  beforeAll(async () => {
    handles = await Promise.all(
      opened.map(async (kb) => {
        const handle = await newNamespace(kb, { embeddingConfig: { provider: "GIVEN", dimensions: 3 } });
        await ingestTexts(handle, [...vectors.keys()]);
        return handle;
      }),
    );
  });
  afterAll(() => Promise.all(opened.map((kb) => kb.close())));

  it("returns the same hits with and without an index in memory", async () => {
    const found = await Promise.all(
      handles.map(async (handle) => {
        const search = async (query: string) =>
          (await handle.search(query, { mode: "semantic", topK: 20 })).map(({ text, score }) => ({ text, score }));
        const first = await search("text 7");
        const [id] = (await handle.search("text 7", { mode: "semantic", topK: 1 })).map((hit) => hit.id.split("#")[0]!);
        await handle.documents.delete(id!);
        const after = await search("text 7");
        expect(after.map(({ text }) => text)).not.toContain("text 7");
        return [first, after, await search("text 500")];
      }),
    );
    expect(found[0]![0]![0]!.text).toBe("text 7");
    expect(found[0]).toEqual(found[1]);
  });

  it("compares only vectors of chunks with the required words", async () => {
    const found = await Promise.all(
      handles.map(async (handle) => {
        const search = async (options: SearchOptions) =>
          (await handle.search("text 7", { mode: "semantic", ...options })).map(({ text, score }) => ({ text, score }));
        const all = await search({ topK: 100 });
        expect(await search({ topK: 100, keywordFilter: "text" })).toEqual(all);
        expect(await search({ topK: 100, keywordFilter: "absent" })).toEqual([]);
        expect((await search({ keywordFilter: "text 500" })).map(({ text }) => text)).toEqual(["text 500"]);
        expect(await search({ keywordFilter: "text 500", filter: { sequence_number: 1 } })).toEqual([]);
        const some = await search({ topK: 100, keywordFilter: '"text 1"*', filter: { sequence_number: 0 } });
        expect(some.length).toBe(100);
        expect(some.every(({ text }) => text.startsWith("text 1"))).toBe(true);
        return some;
      }),
    );
    expect(found[0]).toEqual(found[1]);
  });
});

it.each([-1, 0.5, "much"])("refuses %s megabytes for scanning", (scanMemoryMb) => {
  expect(() => openKnowledgeBase({ limits: { scanMemoryMb: scanMemoryMb as number } })).toThrow(/limits\.scanMemoryMb/);
});

it("accepts only a boolean for approximate search", async () => {
  const kb = openKnowledgeBase();
  const config = (approximate: unknown) => ({
    embeddingConfig: { provider: "MANAGED_LEXICAL" },
    vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC", approximate },
  });
  const refusal = newNamespace(kb, config("often"));
  await expect(refusal).rejects.toThrow(/vectorStoreConfig.*approximate/);
  const handle = await newNamespace(kb, config(true));
  await ingestTexts(handle, ["The lamp is lit at dusk."]);
  expect(await handle.search("When is the lamp lit?", { mode: "semantic" })).toHaveLength(1);
  await kb.close();
});
