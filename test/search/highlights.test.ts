import fc from "fast-check";
import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
let handle: NamespaceHandle;

beforeAll(async () => {
  handle = await newNamespace(kb);
});
afterAll(() => kb.close());

async function marked(text: string, query: string, mode: "keyword" | "semantic" = "keyword"): Promise<string> {
  const alone = await newNamespace(kb);
  await (await alone.ingest({ type: "TEXT", text })).done();
  const [hit] = await alone.search(query, { mode, includeHighlights: true });
  let shown = "";
  let end = 0;
  for (const range of hit!.highlights!) {
    shown += `${hit!.text.slice(end, range.start)}[${hit!.text.slice(range.start, range.end)}]`;
    end = range.end;
  }
  return shown + hit!.text.slice(end);
}

it.each([
  ["The keepers kept running.", "keeper runs", "The [keepers] kept [running]."],
  ["Lamp, LAMP and lâmps; lamplight", "lamp", "[Lamp], [LAMP] and [lâmps]; lamplight"],
  ["lamplight of the lamps", "lamp*", "[lamplight] of the [lamps]"],
  [
    "the house of the keeper, the keeper of the house",
    '"keeper of the house"',
    "the house of the keeper, the [keeper of the house]",
  ],
  ["cafe\u0301 and café 😀 café", "cafe", "[cafe\u0301] and [café] 😀 [café]"],
  ["Die Häuser sind alt und nicht für uns, ein Haus", "haus", "Die [Häuser] sind alt und nicht für uns, ein [Haus]"],
  ["La canción es una de las canciones de la isla.", "cancion", "La [canción] es una de las [canciones] de la isla."],
  ["Die Häuser sind alt und nicht für uns, ein Haus", "häuse*", "Die [Häuser] sind alt und nicht für uns, ein [Haus]"],
  ["東京都の灯台守。水は冷たい。", "灯台守 水", "東京都の[灯台守]。[水]は冷たい。"],
  ["東京都と京都", "京都", "東[京都]と[京都]"],
  [
    "등대지기는 학교에서 돌아와".normalize("NFD"),
    "학교",
    `등대지기는 [${"학교".normalize("NFD")}]에서 돌아와`.normalize("NFD"),
  ],
  ["a1 b2 c3", '"a1 b2" "b2 c3"', "[a1 b2 c3]"],
])("marks in %j what %j finds", async (text, query, expected) => {
  expect(await marked(text, query)).toBe(expected);
});

it("highlights in every mode, and nothing without a matching word", async () => {
  expect(await marked("The storm took the lamp.", "storm", "semantic")).toBe("The [storm] took the lamp.");
  expect(await marked("The storm took the lamp.", "weather", "semantic")).toBe("The storm took the lamp.");
});

it("is absent unless requested", async () => {
  await (await handle.ingest({ type: "TEXT", text: "lamp" })).done();
  const [hit] = await handle.search("lamp", { mode: "keyword" });
  expect(hit).not.toHaveProperty("highlights");
});

it("gives every hit of a keyword search ascending ranges in its text without overlaps", async () => {
  const texts = ["lamp storm tide", "storms of the lamp", "京都 lamp", "tide, tides; tide"];
  await (await handle.ingest({ type: "BATCH", items: texts.map((text) => ({ type: "TEXT" as const, text })) })).done();
  const word = fc.constantFrom("lamp", "storm", "tide*", '"of the lamp"', "京都", "京", "x");
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
      for (const { text, highlights } of await handle.search(words.join(" "), {
        mode: "keyword",
        includeHighlights: true,
      })) {
        expect(highlights!.length).toBeGreaterThan(0);
        let end = -1;
        for (const range of highlights!) {
          expect(range.start).toBeGreaterThan(end);
          expect(range.end).toBeGreaterThan(range.start);
          end = range.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 40 },
  );
});
