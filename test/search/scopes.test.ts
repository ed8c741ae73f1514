import type { NamespaceHandle, SearchHit } from "lorebase";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

// A scope of more than 1,000 chunks has a keyword table of its own; these tests reach both sides of that.

const MODES = ["semantic", "keyword", "hybrid"] as const;
const WORDS = "tide fog lamp keel anchor harbour signal beacon pilot mooring ebb swell chart buoy hull mast".split(" ");
const QUERIES = ["tide", "fog lamp", "anchor keel", '"signal beacon"', "swell mast hull buoy", "moor*", "nothing here"];

const SEPARATOR = "|";

/** Ingests texts as the chunks of a few documents, which takes a fraction of the time of a document each. */
async function ingestChunks(handle: NamespaceHandle, chunks: readonly string[]): Promise<string> {
  const items = Array.from({ length: Math.ceil(chunks.length / 50) }, (_, index) => ({
    type: "TEXT" as const,
    text: chunks.slice(index * 50, index * 50 + 50).join(SEPARATOR),
  }));
  const { id } = await handle.ingest({ type: "BATCH", items }, { delimiter: SEPARATOR }).done({ throwOnFailure: true });
  let count = 0;
  for await (const { totalChunks } of handle.documents.iterate({ ingestJobId: id })) count += totalChunks;
  expect(count).toBe(chunks.length);
  return id;
}

/** Texts that share words in ever other numbers, and lengths that differ. */
function texts(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const words = Array.from({ length: 3 + (n % 11) }, (_, at) => WORDS[(n * 7 + at * at * (n % 5)) % WORDS.length]);
    return `${words.join(" ")} entry${n}`;
  });
}

type Ranking = readonly { readonly text: string; readonly score: number }[];

async function rankings(handle: NamespaceHandle): Promise<readonly Ranking[]> {
  const found: Ranking[] = [];
  for (const mode of MODES) {
    for (const query of QUERIES) {
      const hits: readonly SearchHit[] = await handle.search(query, { mode, topK: 40 });
      found.push(hits.map(({ text, score }) => ({ text, score })));
    }
  }
  expect(found.flat().length).toBeGreaterThan(300);
  return found;
}

function expectSame(actual: readonly Ranking[], expected: readonly Ranking[]): void {
  for (const [index, ranking] of actual.entries()) {
    expect(ranking.map(({ text }) => text)).toEqual(expected[index]!.map(({ text }) => text));
    for (const [place, { score }] of ranking.entries()) expect(score).toBeCloseTo(expected[index]![place]!.score, 9);
  }
}

describe("what others add", () => {
  const kb = openKnowledgeBase();
  afterAll(() => kb.close());

  it("changes no score and no order in another scope, in any mode", async () => {
    const space = await newNamespace(kb);
    const owner = kb.organization((await kb.organizations.create({ name: "Other owner" })).id);
    const here = [space, space.tenant("acme"), await newNamespace(kb)];
    await ingestChunks(here[0]!, texts(120));
    await ingestChunks(here[1]!, texts(120, 500));
    await ingestChunks(here[2]!, texts(1_050));
    const before = [];
    for (const handle of here) before.push(await rankings(handle));

    await ingestChunks(space.tenant("other"), texts(1_010, 40));
    expect(await rankings(here[0]!)).toEqual(before[0]);
    await ingestChunks(await newNamespace(kb), texts(300, 70));
    await ingestChunks(await newNamespace(owner), texts(200, 90));
    await ingestChunks(here[2]!.tenant("acme"), texts(200, 90));
    for (const [index, handle] of here.entries()) expect(await rankings(handle)).toEqual(before[index]);

    await kb.namespaces.deleteTenant(space.ref, "other");
    await kb.drain();
    for (const [index, handle] of here.entries()) expect(await rankings(handle)).toEqual(before[index]);
  }, 120_000);
});

describe("a scope that grows beyond 1,000 chunks", () => {
  const kb = openKnowledgeBase();
  afterAll(() => kb.close());

  it("ranks like the same texts indexed on either side of the limit", async () => {
    const grown = await newNamespace(kb);
    await ingestChunks(grown, texts(990));
    const small = await rankings(grown);
    // A tenth more of what no query asks for: it lengthens the collection and nothing else.
    const filler = Array.from({ length: 60 }, (_, index) => `filler ${index}`);
    await ingestChunks(grown, filler);
    const large = await rankings(grown);
    expect(large).not.toEqual(small);

    const whole = await newNamespace(kb);
    await ingestChunks(whole, [...texts(990), ...filler]);
    expectSame(await rankings(whole), large);
  });
});

describe("what has been deleted", () => {
  const kb = openKnowledgeBase();
  afterAll(() => kb.close());

  it("does not count in the statistics, with an index in memory or in a table", async () => {
    const shrunk = await newNamespace(kb);
    await ingestChunks(shrunk, texts(990));
    await shrunk.ingestJobs.delete(await ingestChunks(shrunk, texts(120, 2_000)));
    await kb.drain();

    // 990 chunks on both sides: the first scope kept its table, the second never had one.
    const small = await newNamespace(kb);
    await ingestChunks(small, texts(990));
    expectSame(await rankings(shrunk), await rankings(small));
  });
});

describe("a name that has been searched by", () => {
  const kb = openKnowledgeBase();
  afterAll(() => kb.close());
  const found = async (mode: (typeof MODES)[number]) => {
    const hits = await kb.namespace("notes").search("tide", { mode });
    return hits.map(({ text }) => text);
  };

  it.each(MODES)("always resolves to the current namespace, in %s search", async (mode) => {
    const { id } = await kb.namespaces.create({ name: "Notes", slug: "notes" });
    await ingestTexts(kb.namespace(id), ["the first tide"]);
    expect(await found(mode)).toEqual(["the first tide"]);
    await kb.namespaces.delete(id);
    expect((await failureOf(() => found(mode))).code).toBe("not_found");
    const second = await kb.namespaces.create({ name: "Notes", slug: "notes" });
    await ingestTexts(kb.namespace(second.id), ["the second tide"]);
    expect(await found(mode)).toEqual(["the second tide"]);
    // Another namespace takes the name while the memory still has the one before.
    await kb.namespaces.update(second.id, { slug: `old-${mode}` });
    const third = await kb.namespaces.create({ name: "Notes", slug: "notes" });
    await ingestTexts(kb.namespace(third.id), ["the third tide"]);
    expect(await found(mode)).toEqual(["the third tide"]);
    await kb.namespaces.delete(third.id);
  });
});
