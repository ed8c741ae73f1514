import { degrees, PDFDocument } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { joinReadings } from "#dist/parsers/pdf/page/ruby.js";
import { readingOrder } from "#dist/parsers/pdf/text/reading-order.js";
import type { Run } from "../../src/parsers/pdf/page/runs.js";
import type { Segment } from "../../src/parsers/pdf/page/segments.js";
import { sourceFile } from "../support/make-files.js";
import { type JapaneseText, makeJapanesePdf } from "../support/make-japanese-pdf.js";

const parse = async (pages: readonly (readonly JapaneseText[])[]) =>
  parseDocument(sourceFile("a.pdf", await makeJapanesePdf(pages)), {
    config: { keepPageheaderInOutput: true, keepPagefooterInOutput: true },
  });

/** Lines from right to left, 20 points apart. */
const linesFrom = (lines: readonly string[], x: number, y: number, vertical: JapaneseText["vertical"]) =>
  lines.map((text, i): JapaneseText => ({ text, x: x - 20 * i, y, ...(vertical && { vertical }) }));

describe.each(["font", "stacked"] as const)("vertical text (%s)", (vertical) => {
  test("is read from right to left, with readings after their characters and digits in their place", async () => {
    const { blocks } = await parse([
      [
        { text: "12", x: 200, y: 570, size: 8 },
        { text: "港の新聞", x: 40, y: 40, size: 18 },
        ...linesFrom(
          ["岬の灯台は明治12年に建てられた。海の向こうか", "ら来る船はその光を頼りに港へ入る。"],
          360,
          80,
          vertical,
        ),
        { text: "とうだい", x: vertical === "font" ? 368 : 371, y: 100, size: 5, vertical },
        ...linesFrom(["　油は毎年五月に替える。高い塔には石段が百", "六十七段ある。"], 320, 80, vertical),
      ],
    ]);
    expect(blocks.map(({ kind, text }) => [kind, text])).toEqual([
      ["heading", "港の新聞"],
      ["paragraph", "岬の灯台(とうだい)は明治12年に建てられた。海の向こうから来る船はその光を頼りに港へ入る。"],
      ["paragraph", "油は毎年五月に替える。高い塔には石段が百六十七段ある。"],
      ["paragraph", "12"],
    ]);
    const [left, top, right, bottom] = blocks[2]!.bbox!;
    expect([left > 290, top, right < 335, bottom < 300]).toEqual([true, 80, true, true]);
  });

  test("has tiers, and page numbers and running titles that run to the right", async () => {
    const upper = [
      "船は十時十五分に港を出る。犬は甲板に留まる。",
      "切符は三十四ポンドである。冬のあいだ船は週に",
      "二度だけ島へ渡る。嵐の日には欠航することもあ",
      "るので前日に電話で確かめるとよい。島には鳥が",
    ];
    const lower = [
      "多い。四月から七月までツノメドリが雛を育てる",
      "。双眼鏡を忘れずに持って行くこと。帰りの船は",
      "夕方の五時に出る。乗り遅れた人は宿に泊まるほ",
      "かはない。宿は港の坂の上にあり、夜も開いてい",
    ];
    const { blocks } = await parse(
      [1, 2, 3, 4].map((number) => [
        { text: "灯台守の手引", x: 40, y: 20 },
        ...linesFrom(upper, 360, 60, vertical),
        ...linesFrom(lower, 360, 310, vertical),
        { text: String(number + 10), x: 200, y: 580 },
      ]),
    );
    const furniture = blocks.filter(({ kind }) => kind.startsWith("page_"));
    expect(furniture.slice(0, 2).map(({ kind, text }) => [kind, text])).toEqual([
      ["page_header", "灯台守の手引"],
      ["page_footer", "11"],
    ]);
    const text = blocks.filter(({ kind }) => kind === "paragraph").map(({ text }) => text);
    expect(text.join("")).toBe([...upper, ...lower].join("").repeat(4));
  });
});

test("slanted text on a page of vertical text is kept, as is text that runs to the right", async () => {
  const document = await PDFDocument.load(
    await makeJapanesePdf([
      [
        ...linesFrom(["岬の灯台は霧の中にある。船は来ない。鳥も来ない。犬は甲板に留まる。"], 360, 80, "stacked"),
        { text: "図の説明である", x: 60, y: 400 },
      ],
    ]),
  );
  const [page] = document.getPages();
  page!.drawText("Draft of the keeper", { x: 60, y: 300, size: 12, rotate: degrees(20) });
  const { blocks } = await parseDocument(sourceFile("a.pdf", await document.save()));
  expect(blocks.map(({ text }) => text).sort()).toEqual(
    [
      "Draft of the keeper",
      "図の説明である",
      "岬の灯台は霧の中にある。船は来ない。鳥も来ない。犬は甲板に留まる。",
    ].sort(),
  );
});

test("a table with a column of single characters is no vertical text", async () => {
  const rows = ["船", "塔", "鳥", "犬"].flatMap((sign, i): JapaneseText[] => [
    { text: sign, x: 40, y: 100 + 20 * i },
    { text: "これは一行の説明である", x: 80, y: 100 + 20 * i },
  ]);
  const { blocks } = await parse([[{ text: "表", x: 40, y: 60 }, ...rows]]);
  expect(blocks.map(({ text }) => text).join(" ")).toContain("| 鳥 | これは一行の説明である |");
});

test("columns of numbers and letters are no vertical text", async () => {
  const column = (cells: readonly string[], x: number) =>
    cells.map((text, i): JapaneseText => ({ text, x, y: 100 + 12 * i }));
  const grades = column(["Ada", "Bob", "Cy", "Dan"], 60);
  const { blocks } = await parse([
    [...grades, ...column(["2", "14", "150", "36"], 160), ...column(["80%", "12", "30", "9"], 240)],
    // The digits of the second column are of full width.
    [...column(["A", "B", "C", "D"], 60), ...column(["１", "２", "３", "４"], 160)],
  ]);
  expect(blocks.map(({ text }) => text)).toEqual([
    "| Ada | 2 | 80% |\n| --- | --- | --- |\n| Bob | 14 | 12 |\n| Cy | 150 | 30 |\n| Dan | 36 | 9 |",
    "| A | １ |\n| --- | --- |\n| B | ２ |\n| C | ３ |\n| D | ４ |",
  ]);
});

test("readings above a line that runs to the right follow their characters", async () => {
  const { blocks } = await parse([
    [
      { text: "岬の灯台は霧の中にある。", x: 40, y: 100 },
      { text: "とうだい", x: 60, y: 91, size: 5 },
      { text: "きり", x: 90, y: 91, size: 5 },
    ],
  ]);
  expect(blocks.map(({ text }) => text)).toEqual(["岬の灯台(とうだい)は霧(きり)の中にある。"]);
});

test.each<[string, readonly JapaneseText[]]>([
  [
    "注意事項 ・バナナ",
    [
      { text: "・バナナ", x: 40, y: 102, size: 10 },
      { text: "注意事項", x: 40, y: 120, size: 18 },
    ],
  ],
  [
    "事業案内 サービス",
    [
      { text: "サービス", x: 60, y: 79, size: 10 },
      { text: "事業案内", x: 40, y: 100, size: 20 },
    ],
  ],
  [
    "海上灯台 サービス",
    [
      { text: "サービス", x: 40, y: 79, size: 10 },
      { text: "海上灯台", x: 40, y: 100, size: 20 },
    ],
  ],
  [
    "東京タワー とうきょうたわー",
    [
      { text: "とうきょうたわー", x: 40, y: 79, size: 8 },
      { text: "東京タワー", x: 40, y: 100, size: 20 },
    ],
  ],
  [
    "記事 新着 サービス の案内",
    [
      { text: "サービス", x: 40, y: 91, size: 5 },
      { text: "の案内", x: 61, y: 91, size: 5 },
      { text: "新着記事", x: 40, y: 100, size: 10 },
    ],
  ],
  [
    "氏名 山田太郎 フリガナ ヤマダタロウ",
    [
      { text: "フリガナ", x: 40, y: 91, size: 5 },
      { text: "ヤマダタロウ", x: 125, y: 91, size: 5 },
      { text: "氏名", x: 40, y: 100 },
      { text: "山田太郎", x: 120, y: 100 },
    ],
  ],
])("small kana above ideographs that may be a line of their own stay apart: %s", async (words, texts) => {
  const { blocks } = await parse([texts]);
  const text = blocks.map((block) => block.text).join("\n");
  for (const word of words.split(" ")) expect(text).toContain(word.replace("・", ""));
  expect(text).not.toMatch(/[()]/);
});

test("kana that are spread over their ideographs, or wider than these, are readings", async () => {
  const { blocks } = await parse([
    [
      { text: "土地の人は志のある人だ。", x: 40, y: 100 },
      { text: "と", x: 42.5, y: 91, size: 5 },
      { text: "ち", x: 52.5, y: 91, size: 5 },
      { text: "こころざし", x: 82.5, y: 91, size: 5 },
    ],
    [
      { text: "岬の灯台は霧の中。人は土地を去る。", x: 360, y: 80, vertical: "stacked" },
      { text: "とうだい", x: 371, y: 100, size: 5, vertical: "stacked" },
      { text: "きり", x: 371, y: 130, size: 5, vertical: "stacked" },
    ],
  ]);
  expect(blocks.map(({ text }) => text)).toEqual([
    "土地(とち)の人は志(こころざし)のある人だ。",
    "岬の灯台(とうだい)は霧(きり)の中。人は土地を去る。",
  ]);
});

test("readings never split ideographs that are side by side", async () => {
  const { blocks } = await parse([
    [
      { text: "岬の灯台", x: 40, y: 100 },
      { text: "守は霧の中にいる。", x: 80, y: 100 },
      { text: "とう", x: 60, y: 91, size: 5 },
      { text: "だい", x: 70, y: 91, size: 5 },
    ],
  ]);
  expect(blocks.map(({ text }) => text)).toEqual(["岬の灯台守(とうだい)は霧の中にいる。"]);
});

test("readings among very many runs are moved", () => {
  const run = (text: string, left: number, baseline: number, size: number): Run => {
    const position = { left, right: left + text.length * size, top: baseline - size, bottom: baseline, baseline };
    return { ...position, text, size, font: "f", isSpaced: false, contentId: null, isArtifact: false };
  };
  const others = new Array<Run>(130_000).fill(run("x", 40, 200, 6));
  const runs = [run("灯台", 40, 100, 10), run("とうだい", 40, 91, 5), ...others];
  joinReadings(runs);
  expect([runs.length, runs[0]!.text, runs[1]!.text]).toEqual([130_001, "灯台(とうだい)", "x"]);
});

test("columns of a script that runs to the left are read from the right", () => {
  const column = (words: string, left: number) =>
    Array.from({ length: 6 }, (_, i): Segment => {
      const baseline = 100 + 14 * i + left / 100;
      const position = { left, right: left + 200, top: baseline - 8, bottom: baseline + 2, baseline };
      return { ...position, text: words, size: 10, font: "f", row: i * 2 + (left > 200 ? 1 : 0), isArtifact: false };
    });
  const firstOf = (left: string, right: string) =>
    readingOrder([...column(left, 50), ...column(right, 300)].sort((a, b) => a.row - b.row)).map(
      ([segment]) => segment!.left,
    );
  expect(firstOf("הסירה יוצאת מהנמל בשעה עשר", "השומר מדליק את המנורה בערב")).toEqual([300, 50]);
  expect(firstOf("the boat leaves the harbour at", "the keeper lights the lamp every")).toEqual([50, 300]);
});
