import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
let handle: NamespaceHandle;
let warnings: string[];
kb.on("warning", ({ message }) => warnings.push(message));

beforeEach(async () => {
  handle = await newNamespace(kb);
  warnings = [];
  const metadata = { station: "Skerrin", year: 2026, notes: { by: "Annet" } };
  await (await handle.ingest({ type: "TEXT", text: "A lamp.", fileName: "lamp.txt" }, { metadata })).done();
});
afterAll(() => kb.close());

const search = (filter: object, where = handle) => where.search("lamp", { filter: filter as never });

describe("a filter on a key that no document has", () => {
  it.each([
    [{ fileName: "lamp.txt" }, "fileName", "filename"],
    [{ Station: "Skerrin" }, "Station", "station"],
    [{ year: 2026, statoin: { $in: ["Skerrin"] } }, "statoin", "station"],
    [{ $or: [{ yaer: 2026 }, { year: 2025 }] }, "yaer", "year"],
    [{ document_id: "doc_1" }, "document_id", "documentId"],
    [{ pageNumber: 2 }, "pageNumber", "page_number"],
  ])("is told with the known key that it resembles: %j", async (filter, key, near) => {
    expect(await search(filter)).toEqual([]);
    expect(warnings).toEqual([
      `A call filters or orders by a metadata key for which no document has a filterable value: "${key}" in ${handle.ref}. Did you mean "${near}"?`,
    ]);
  });

  it("causes a warning if passages are ordered by it", async () => {
    expect((await handle.passages.list({ orderBy: { key: "yaer" } })).items).toHaveLength(1);
    expect((await handle.passages.list({ orderBy: { key: "year" } })).items).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('"yaer"')]);
  });

  it("causes a warning if it matches everything", async () => {
    expect(await search({ Station: { $ne: "Skerrin" } })).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  });

  it("causes one warning per scope", async () => {
    for (let i = 0; i < 3; i++) await search({ fileName: "lamp.txt" });
    expect(warnings).toHaveLength(1);
    const acme = handle.tenant("acme");
    await (await acme.ingest({ type: "TEXT", text: "A lamp.", fileName: "a.txt" })).done();
    await search({ fileName: "lamp.txt" }, acme);
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toContain(`in ${handle.ref}, tenant acme.`);
    // What one tenant's documents have is no hint for another.
    await search({ Station: "Skerrin" }, acme);
    expect(warnings).toHaveLength(2);
  });

  it("causes no warning if it resembles no known key, or if the key exists", async () => {
    for (const filter of [
      { colour: "red" },
      { station: "Marrow" },
      { filename: "none.txt" },
      { page_number: 7 },
      { $nor: [{ year: 2025 }] },
      { url: "https://example.com/" },
    ])
      await search(filter);
    expect(warnings).toEqual([]);
  });

  it("causes a warning once a similar key exists", async () => {
    await search({ colour: "red" });
    expect(warnings).toEqual([]);
    await (await handle.ingest({ type: "TEXT", text: "A lamp." }, { metadata: { color: "red" } })).done();
    await search({ colour: "red" });
    expect(warnings).toHaveLength(1);
  });
});

describe("the names of tables", () => {
  const sheet = "<table><caption>Lamps</caption><tr><th>Station<th>Year<tr><td>Skerrin<td>1846</table>";
  const ingest = async (metadata = {}) =>
    (await handle.ingest({ type: "TEXT", text: sheet, fileName: "lamps.html" }, { metadata })).done();

  it("are metadata of the passages with their rows, and filters see them", async () => {
    await ingest();
    const [hit, ...others] = await handle.search("Skerrin 1846", { filter: { tables: "Lamps" } });
    expect(others).toEqual([]);
    expect(hit!.metadata).toMatchObject({ tables: ["Lamps"], filename: "lamps.html" });
    expect(await handle.search("Skerrin 1846", { filter: { tables: "Boats" } })).toEqual([]);
  });

  it("give way to the caller's key of that name", async () => {
    await ingest({ tables: 3 });
    const [hit] = await handle.search("Skerrin 1846", { filter: { tables: 3 } });
    expect(hit!.metadata).toMatchObject({ tables: 3 });
  });
});
