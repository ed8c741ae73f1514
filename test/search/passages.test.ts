import type { ListPassagesOptions, NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const BY_YEAR = { orderBy: { key: "year" }, order: "asc", perPage: 2 } as const;
let handle: NamespaceHandle;
beforeAll(async () => {
  handle = await newNamespace(kb);
  await write(handle, "a", 2, ["a0", "a1"]);
  await write(handle, "b", 1, ["b0", "b1"]);
  await write(handle, "c", 2, ["c0", "c1", "c2"]);
});

/** Ingests a document, or another version of it. */
async function write(into: NamespaceHandle, externalId: string, year: number, parts: readonly string[]) {
  const options = { externalId, onConflict: "replace", metadata: { year }, delimiter: "|" } as const;
  await into.ingest({ type: "TEXT", text: parts.join("|") }, options).done({ throwOnFailure: true });
}

const textsOf = ({ items }: { readonly items: readonly { readonly text: string }[] }) => items.map(({ text }) => text);

it("lists each passage once while documents are published anew, added and deleted", async () => {
  const changing = await newNamespace(kb);
  for (const [name, year] of [
    ["a", 2],
    ["b", 1],
    ["c", 2],
    ["d", 3],
  ] as const)
    await write(changing, name, year, [`${name}0`, `${name}1`]);
  const next = async (cursor: string | null) => {
    const page = await changing.passages.list({ ...BY_YEAR, cursor: cursor ?? undefined });
    return { texts: textsOf(page), cursor: page.nextCursor };
  };
  const first = await next(null);
  expect(first.texts).toEqual(["b0", "b1"]);
  await write(changing, "b", 1, ["B0", "B1"]);
  const second = await next(first.cursor);
  expect(second.texts).toEqual(["a0", "a1"]);
  await write(changing, "a", 2, ["A0", "A1", "A2"]);
  await write(changing, "early", 0, ["early"]);
  await write(changing, "late", 2, ["late"]);
  const third = await next(second.cursor);
  expect(third.texts).toEqual(["A2", "c0"]);
  const jobs = await changing.ingestJobs.list();
  const deleted = jobs.items.find(({ externalId }) => externalId === "c")!;
  await changing.ingestJobs.delete(deleted.id);
  expect((await next(third.cursor)).texts).toEqual(["late", "d0"]);
});

it("iterates over all pages, newest documents first and each in the order of its text", async () => {
  const listed: string[] = [];
  for await (const { text } of handle.passages.iterate({ perPage: 2 })) listed.push(text);
  expect(listed).toEqual(["c0", "c1", "c2", "b0", "b1", "a0", "a1"]);
  const one = await handle.passages.list({ orderBy: { key: "year" }, onePerDocument: true, includeTotal: true });
  expect([textsOf(one), one.total, one.nextCursor]).toEqual([["c0", "a0", "b0"], 3, null]);
  expect(await handle.tenant("empty").passages.list({ includeTotal: true })).toEqual({
    ...{ items: [], nextCursor: null, total: 0 },
  });
});

it("has no score, and what documents.chunks has", async () => {
  const { items } = await handle.passages.list({ ...BY_YEAR, filter: { year: 1 } });
  const chunks = [];
  for await (const chunk of handle.documents.chunks(items[0]!.documentId)) chunks.push(chunk);
  expect(items).toEqual(chunks);
});

it("lists very many passages in the same order as few", async () => {
  const large = await newNamespace(kb);
  const partsOf = (name: string, length: number) => Array.from({ length }, (_, part) => `${name}${part}`);
  for (const [name, year, parts] of [
    ["z", 2, 50],
    ["a", 1, 1100],
    ["b", 1, 3],
    ["c", 1, 1100],
  ] as const) {
    await write(large, name, year, partsOf(name, parts));
  }
  const matching = [...partsOf("a", 1100), ...partsOf("b", 3), ...partsOf("c", 1100)];
  for (const filter of [{ year: 1 }, undefined])
    for (const orderBy of ["createdAt", { key: "year" }, { key: "none" }] as const) {
      const options = { filter, orderBy, order: "asc", perPage: 3, includeTotal: true } as const;
      const expected = filter
        ? matching
        : orderBy === "createdAt" || orderBy.key === "none"
          ? [...partsOf("z", 50), ...matching]
          : [...matching, ...partsOf("z", 50)];
      const first = await large.passages.list({ ...options, perPage: 100 });
      expect([textsOf(first), first.total]).toEqual([expected.slice(0, 100), expected.length]);
      const second = await large.passages.list({ ...options, cursor: first.nextCursor! });
      expect(textsOf(second)).toEqual(expected.slice(100, 103));
      const firsts = await large.passages.list({ ...options, onePerDocument: true });
      const expectedFirsts = expected.filter((text) => text.endsWith("0") && text.length === 2);
      expect([textsOf(firsts), firsts.total]).toEqual([expectedFirsts.slice(0, 3), expectedFirsts.length]);
      expect(firsts.nextCursor === null).toBe(expectedFirsts.length === 3);
    }
});

it.each<[object, string]>([
  [{ orderBy: { key: "documentId" } }, "orderBy.key"],
  [{ orderBy: { key: "\ud800" } }, "orderBy.key"],
  [{ orderBy: "year" }, "orderBy"],
  [{ perPage: 101 }, "perPage"],
  [{ cursor: "nonsense" }, "cursor"],
  [{ query: "lamp" }, "input"],
  [{ filter: { year: { $near: 3 } } }, "filter.year.$near"],
])("refuses %j", async (options, field) => {
  const { code, issues } = await failureOf(() => handle.passages.list(options as ListPassagesOptions));
  expect([code, issues?.[0]?.field]).toEqual(["invalid_input", field]);
});

it("refuses the cursor of another order, key or namespace, and one that was made up", async () => {
  const { nextCursor } = await handle.passages.list(BY_YEAR);
  const cursor = nextCursor!;
  const other = await newNamespace(kb);
  const parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  const made = (position: unknown, list = parts[1]) =>
    Buffer.from(JSON.stringify([parts[0], list, parts[2], position])).toString("base64url");
  const { order, perPage } = BY_YEAR;
  const attempts: [NamespaceHandle, ListPassagesOptions][] = [
    [handle, { ...BY_YEAR, order: "desc", cursor }],
    [handle, { ...BY_YEAR, orderBy: { key: "month" }, cursor }],
    [handle, { order, perPage, cursor }],
    [other, { ...BY_YEAR, cursor }],
    ...[[1, 2], [{}, 1, 1], [["x"], 1, 1], [1, "1", 1], [1, 1, 0.5], null].map(
      (position): [NamespaceHandle, ListPassagesOptions] => [handle, { ...BY_YEAR, cursor: made(position) }],
    ),
    [handle, { order, perPage, cursor: made([1, 1, 1], `passages of ${handle.ref} by createdAt`) }],
  ];
  for (const [asked, options] of attempts) {
    const { code, issues } = await failureOf(() => asked.passages.list(options));
    expect([code, issues?.[0]?.field]).toEqual(["invalid_input", "cursor"]);
  }
  expect(textsOf(await handle.passages.list({ ...BY_YEAR, cursor: made([1, 2, 0]) }))).toEqual(["b1", "a0"]);
});
