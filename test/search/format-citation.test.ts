import { type CitedHit, formatCitation, type SearchHit } from "lorebase";
import { afterAll, describe, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { makePdf, pdfLines } from "../support/make-files.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

const cite = (metadata: CitedHit["metadata"], pages?: readonly [number, number]) =>
  formatCitation({ id: "doc_1#4", metadata, pages });

describe("formatCitation", () => {
  it.each([
    [
      { filename: "Keeper's manual.pdf", headings: ["Lamp", "Lighting"] },
      [3, 4],
      `Keeper's manual.pdf, p. 3–4, "Lamp > Lighting"`,
    ],
    [{ filename: "manual.pdf" }, [3, 3], "manual.pdf, p. 3"],
    [{ filename: "talk.pptx", headings: ["Oil"] }, [2, 3], 'talk.pptx, slide 2–3, "Oil"'],
    [{ filename: "stock.xlsx", headings: ["Lamps"] }, [1, 1], 'stock.xlsx, sheet 1, "Lamps"'],
    [{ filename: "notes.md", headings: ["A\n  long   heading"] }, undefined, 'notes.md, "A long heading"'],
    [
      { filename: "Opening hours", url: "https://example.com/hours", headings: ["Visits"] },
      undefined,
      'Opening hours, "Visits", https://example.com/hours',
    ],
    [{ url: "https://example.com/hours" }, undefined, "https://example.com/hours"],
    [{ url: "https://youtu.be/jNQXAC9IVRw", youtube_timestamp: 62 }, undefined, "https://youtu.be/jNQXAC9IVRw, 1:02"],
    [
      { youtube_title: "Lamps", url: "https://youtu.be/jNQXAC9IVRw", youtube_timestamp: 3662 },
      undefined,
      "Lamps, 1:01:02, https://youtu.be/jNQXAC9IVRw",
    ],
    [{ path: "a/b.txt" }, undefined, "doc_1"],
    [undefined, undefined, "doc_1"],
  ] as const)("%j on %j", (metadata, pages, expected) => {
    expect(cite(metadata, pages)).toBe(expected);
  });

  it("names the cells of a workbook if they are one range", () => {
    const row = { sheet: "Lamps", range: "A12:F12" };
    const format = (headings: readonly string[], last: number, ...cells: (typeof row)[]) =>
      formatCitation({ id: "doc_1#4", metadata: { filename: "stock.xlsx", headings }, pages: [1, last], cells });
    expect(format(["Lamps", "Oil"], 1, row)).toBe('stock.xlsx, sheet 1, A12:F12, "Lamps > Oil"');
    expect(format(["Lamps"], 2, row)).toBe('stock.xlsx, A12:F12, "Lamps"');
    expect(format([], 1, row)).toBe("stock.xlsx, Lamps, A12:F12");
    expect(format([], 2, row)).toBe("stock.xlsx, Lamps, A12:F12");
    expect(format([], 2, row, { ...row, range: "A20:F20" })).toBe("stock.xlsx, sheet 1–2");
    expect(format([], 1, { ...row, sheet: " " })).toBe("stock.xlsx, sheet 1, A12:F12");
  });

  it("ignores keys that the caller uses for something else", () => {
    const own = { filename: 7, headings: "Part one", url: null, youtube_timestamp: "soon" };
    expect(cite(own as never)).toBe('doc_1, "Part one"');
  });

  it("formats a citation of an answer as it formats its passage", async () => {
    const handle = await newNamespace(kb);
    const file = await makePdf([
      pdfLines(["The oil is changed in May."], 50, 700),
      pdfLines(["The lamp is lit before sunset."], 50, 700),
    ]);
    const { key } = await handle.uploads.put({ fileName: "manual.pdf", body: file });
    await handle.ingest({ type: "MANAGED_FILE", key }).done({ throwOnFailure: true });
    const { citations } = await handle.ask("When is the lamp lit?");
    expect(citations[0]).toMatchObject({ quote: "The lamp is lit before sunset.", documentName: "manual.pdf" });
    expect(formatCitation(citations[0]!)).toBe("manual.pdf, p. 2");
    const page = { chunkId: "doc_1#4", documentId: "doc_1", documentName: "Hours", headings: ["Visits"] };
    expect(formatCitation({ ...page, url: "https://example.com/hours" })).toBe(
      'Hours, "Visits", https://example.com/hours',
    );
  });

  it("says what it takes instead of anything else", () => {
    for (const other of [undefined, null, {}, "doc_1#4", { quote: "The lamp is lit." }])
      expect(() => formatCitation(other as never)).toThrow(
        "formatCitation: the argument must be a search hit, which has an id, or a citation of an answer, which has a chunkId",
      );
  });

  it("cites what a search finds, whose engine keys are typed beside the caller's", async () => {
    const handle = await newNamespace(kb);
    const typed = kb.namespace<{ station: string }>(handle.ref);
    const pages = [
      pdfLines(["The lamp is lit before sunset, unless the keeper,"], 50, 700),
      pdfLines(["who is ill, has left."], 50, 100),
    ];
    const { key } = await typed.uploads.put({ fileName: "manual.pdf", body: await makePdf(pages) });
    const run = await typed.ingest({ type: "MANAGED_FILE", key }, { metadata: { station: "Skerrin" } });
    expect((await run.done()).status).toBe("COMPLETED");
    const [hit] = await typed.search("lamp", {
      filter: { filename: "manual.pdf", page_number: { $lte: 1 }, station: "Skerrin" },
    });
    expect(formatCitation(hit!)).toBe("manual.pdf, p. 1–2");
    const shown: { station: string; filename?: string; page_number?: number; headings?: readonly string[] } =
      hit!.metadata!;
    expect([shown.station, shown.filename, shown.page_number]).toEqual(["Skerrin", "manual.pdf", 1]);
    // As a client of the HTTP interface has it.
    expect(formatCitation(JSON.parse(JSON.stringify(hit)) as SearchHit)).toBe("manual.pdf, p. 1–2");
  });
});
