import fc from "fast-check";
import type { NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stemmingOfLanguage, stemOf } from "#dist/text-analysis/stemming.js";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
let handle: NamespaceHandle;

const TEXTS = {
  english: "The keepers were running along the pier when the lamps of the harbour went out.",
  german: "Die Häuser der Leuchtturmwärter sind alt, und das Dach ist nicht mehr dicht, aber die Wände halten noch.",
  japanese: "東京都の灯台守は、毎晩ランプに火をともした。水は冷たい。",
  chinese: "灯塔看守人每天晚上点燃灯火。港口的船只都能看见。",
  korean: "등대지기는 매일 밤 학교에서 돌아와 등불을 켰다.",
  thai: "ผู้ดูแลประภาคารจุดตะเกียงทุกคืน",
  hindi: "प्रकाशस्तंभ का रखवाला हर रात हिन्दी में गीत गाता था।",
  russian: "Смотритель маяка каждую ночь зажигал лампу, и её было видно издалека.",
  turkish: "Fener bekçisi her gece lambayı yakar ve gemiler için bir ışık olur.",
};

beforeAll(async () => {
  handle = await newNamespace(kb);
  const items = Object.entries(TEXTS).map(([name, text]) => ({ type: "TEXT" as const, text, fileName: name }));
  await (await handle.ingest({ type: "BATCH", items })).done();
});
afterAll(() => kb.close());

const find = async (query: string) => (await handle.search(query, { mode: "keyword" })).map(({ text }) => text);

it.each([
  ["run keeper", TEXTS.english],
  ["leuchtturmwärter haus häuser", TEXTS.german],
  ["東京都", TEXTS.japanese],
  ["京都の", TEXTS.japanese],
  ["灯台守", TEXTS.japanese],
  ["ランプ", TEXTS.japanese],
  ["水", TEXTS.japanese],
  ["毎晩のランプの火", TEXTS.japanese],
  ["看守人", TEXTS.chinese],
  ["港口 船只", TEXTS.chinese],
  ["등대지기", TEXTS.korean],
  ["학교는", TEXTS.korean],
  ["ประภาคาร", TEXTS.thai],
  ["ตะเกียง", TEXTS.thai],
  ["हिन्दी", TEXTS.hindi],
  ["маяка", TEXTS.russian],
  ["ışık", TEXTS.turkish],
])("finds %s", async (query, text) => {
  expect((await find(query))[0]).toBe(text);
});

it("stems each text by the rules of its own language", async () => {
  expect(await find("lamp")).toEqual([TEXTS.english]);
  expect(await find("dächern")).toEqual([TEXTS.german]);
  // English rules would remove the ending.
  expect(await find("dicted")).toEqual([]);
  expect(await find("wänd*")).toEqual([TEXTS.german]);
});

it("matches neither parts of characters nor separate characters as a word", async () => {
  expect(await find('"都東"')).toEqual([]);
  expect(await find('"灯台の"')).toEqual([]);
  expect(await find('"灯台守は"')).toEqual([TEXTS.japanese]);
});

it("uses the declared language of a document", async () => {
  const said = await newNamespace(kb);
  await (await said.ingest({ type: "TEXT", text: "winters" }, { languageCode: "ja" })).done();
  await (await said.ingest({ type: "TEXT", text: "winters of discontent" }, { languageCode: "en" })).done();
  const hits = await said.search("winter", { mode: "keyword" });
  expect(hits.map(({ text }) => text)).toEqual(["winters of discontent"]);
});

it("requires words of any script", async () => {
  const hits = await handle.search("灯", { mode: "keyword", keywordFilter: "看守人" });
  expect(hits.map(({ text }) => text)).toEqual([TEXTS.chinese]);
});

it.each([
  ["wänd*", "die [Wände] nicht"],
  ['"und die wä"*', "das Dach [und die Wände] nicht"],
])("takes a star as any ending where no text is English: %s", async (query, marked) => {
  const german = await newNamespace(kb);
  await (
    await german.ingest({ type: "TEXT", text: "Alt ist das Dach und die Wände nicht, aber die Häuser auch." })
  ).done();
  const [hit] = await german.search(query, { mode: "keyword", includeHighlights: true });
  const [range] = hit!.highlights!;
  const [before, words, after] = marked.split(/[[\]]/);
  expect(hit!.text.slice(range!.start - before!.length, range!.end + after!.length)).toBe(`${before}${words}${after}`);
  expect(hit!.text.slice(range!.start, range!.end)).toBe(words);
});

it.each([
  ['"東京 Tower"', ["東京 Tower"]],
  ['"東京 大阪"', ["東京 大阪 名古屋"]],
  ['"東京 大"', ["東京 大阪 名古屋"]],
  ['"like 東京 and"', ["I like 東京 and 大阪"]],
  ['"東京 名"', []],
  ['"京 Tower"', ["東京 Tower"]],
])("finds the phrase %s, in which a run without spaces ends", async (query, texts) => {
  const mixed = await newNamespace(kb);
  await ingestTexts(mixed, ["東京 Tower", "東京 大阪 名古屋", "I like 東京 and 大阪", "東京都 Tower"]);
  const hits = await mixed.search(query, { mode: "keyword", includeHighlights: true });
  expect(hits.map(({ text }) => text)).toEqual(texts);
  for (const { highlights } of hits) expect(highlights).not.toEqual([]);
});

/** Sentences with inflected words, in languages of which each stems differently. */
const INFLECTED: Readonly<Record<string, { readonly text: string; readonly forms: readonly string[] }>> = {
  de: { text: TEXTS.german, forms: ["haus", "leuchtturmwärters", "altes", "dächer wand"] },
  es: {
    text: "Las canciones de la isla no son las de la costa, pero su farero las cantaba.",
    forms: ["canción", "costas"],
  },
  fr: {
    text: "Les gardiens du phare ont allumé les lampes dans la nuit, et nous les avons vues.",
    forms: ["gardien lampe"],
  },
  it: {
    text: "Le lampade del faro non sono spente, e il guardiano le accende con la notte.",
    forms: ["lampada", "fari"],
  },
  pt: {
    text: "As informações do faroleiro não são as mesmas, e as lâmpadas foram acesas.",
    forms: ["informação", "lâmpada"],
  },
  nl: { text: "De lampen van de vuurtoren zijn niet aan, en het is een donkere nacht.", forms: ["lamp", "donker"] },
  sv: { text: "Fyrarna på öarna är inte släckta, och det är en mörk natt för alla.", forms: ["fyr", "nätter mörka"] },
  da: { text: "Fyrene på øerne er ikke slukket, og det er en mørk nat for alle.", forms: ["fyr", "mørke"] },
  no: {
    text: "Lampene på øya er ikke slukket, og det er en mørk natt for alle som seiler.",
    forms: ["lampe", "mørke"],
  },
  fi: { text: "Majakan valot ovat vanhoja, mutta ne eivät ole sammuneet, ja se on hyvä.", forms: ["valo", "vanhoja"] },
  hu: { text: "A világítótorony lámpái nem égnek, de az őrök már itt vannak, és ez jó.", forms: ["őr"] },
  ro: { text: "Paznicul farului nu a aprins lămpile, iar caselor de pe insulă le este frig.", forms: ["casa", "far"] },
  ru: { text: TEXTS.russian, forms: ["смотрители", "маяк", "лампа", "ночь"] },
  tr: { text: TEXTS.turkish, forms: ["lamba", "fenerler", "gemi"] },
};

const inflected = Object.entries(INFLECTED);

it.each(inflected.flatMap(([language, { text, forms }]) => forms.map((form) => [language, form, text] as const)))(
  "finds other forms of words (%s: %s)",
  async (_, form, text) => {
    const alone = await newNamespace(kb);
    await ingestTexts(alone, [text]);
    expect((await alone.search(form, { mode: "keyword" })).map((hit) => hit.text)).toEqual([text]);
  },
);

it.each(inflected)("finds each word as it is written, without diacritics, and begun (%s)", async (_, { text }) => {
  const words = text.match(/\p{L}+/gu)!;
  const alone = await newNamespace(kb);
  await ingestTexts(alone, [text]);
  for (const word of words) {
    const plain = word.normalize("NFD").replace(/\p{M}/gu, "");
    for (const query of [word, word.toUpperCase(), plain, `${word}*`, `${word.slice(0, 3)}*`, `"${word}"`]) {
      const hits = await alone.search(query, { mode: "keyword", includeHighlights: true });
      const [range] = hits[0]?.highlights ?? [];
      expect([query, range && text.slice(range.start, range.end)]).toEqual([query, expect.any(String)]);
    }
  }
});

it("stems by a given language, and not at all in one without rules", async () => {
  const german = await newNamespace(kb);
  await (await german.ingest({ type: "TEXT", text: "Häuser, Türme" }, { languageCode: "deu-CH" })).done();
  expect(await german.search("haus turm", { mode: "keyword" })).toHaveLength(1);
  const polish = await newNamespace(kb);
  await (await polish.ingest({ type: "TEXT", text: "running latarnie" }, { languageCode: "pl" })).done();
  expect(await polish.search("run", { mode: "keyword" })).toHaveLength(0);
  expect(await polish.search("running", { mode: "keyword" })).toHaveLength(1);
});

it("stems any word of each language", () => {
  const languages = "ar hy bg da nl fi fr de el hu hi id ga it lt ne no pt ro ru sr es sv ta tr uk".split(" ");
  const word = fc.oneof(
    fc.stringMatching(/^[a-zäöüßéèñçşıőăå]{1,14}$/),
    fc.stringMatching(/^[а-яёіїъь]{1,14}$/),
    fc.string({ unit: "grapheme", maxLength: 80 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...languages), word, (language, text) => {
      const stemming = stemmingOfLanguage(language);
      expect(stemming).toBeGreaterThan(1);
      expect(stemOf(text, stemming)).toEqual(expect.any(String));
    }),
    { numRuns: 3000 },
  );
  expect(["център", "министър", "езици"].map((text) => stemOf(text, stemmingOfLanguage("bg")))).toEqual([
    ...["центр", "министр", "езиц"],
  ]);
});

it("finds what begins with a word in each language's own spelling, whatever other texts there are", async () => {
  const own = await newNamespace(kb);
  const find = async (query: string) => {
    const hits = await own.search(query, { mode: "keyword", includeHighlights: true });
    return hits.map(({ text, highlights }) => [text, highlights!.map(({ start, end }) => text.slice(start, end))]);
  };
  const ingest = async (text: string, languageCode: string) => {
    await own.ingest({ type: "TEXT", text }, { languageCode }).done({ throwOnFailure: true });
  };
  await ingest("Der Isitan lag im Hafen.", "de");
  await ingest("Fenerin ısıtması bozuldu.", "tr");
  expect(await find("ısıt*")).toEqual([["Fenerin ısıtması bozuldu.", ["ısıtması"]]]);
  expect((await find("isit*")).sort()).toEqual([
    ["Der Isitan lag im Hafen.", ["Isitan"]],
    ["Fenerin ısıtması bozuldu.", ["ısıtması"]],
  ]);
});

it("finds words in the form in which they are typed before other forms of them", async () => {
  const forms = await newNamespace(kb);
  const texts = {
    dach: "Das Dach ist hoch.",
    dachs: "Der Dachs ist hoch.",
    cafe: "The cafe is open.",
    café: "The café is open.",
    university: "Her university was old.",
    universe: "Her universe was old.",
  };
  const languageOf = (name: string) => (name.startsWith("dach") ? "de" : "en");
  for (const [name, text] of Object.entries(texts))
    await (await forms.ingest({ type: "TEXT", text, fileName: name }, { languageCode: languageOf(name) })).done();
  const names = async (query: string, topK: number) =>
    (await forms.search(query, { mode: "keyword", topK })).map(({ metadata }) => metadata!.filename);
  for (const [first, second] of [
    ["dach", "dachs"],
    ["cafe", "café"],
    ["university", "universe"],
  ] as const) {
    expect(await names(first, 10)).toEqual([first, second]);
    expect(await names(second.toUpperCase(), 10)).toEqual([second, first]);
    // Which one is found first doesn't depend on how many are.
    expect(await names(first, 1)).toEqual([first]);
    expect(await names(second, 1)).toEqual([second]);
  }
  const [exact, other] = await forms.search("dachs", { mode: "keyword" });
  expect(other!.score - 0.5).toBeCloseTo((exact!.score - 0.5) * 0.8, 12);
});

it.each([
  ["sr", "админ*", "Администратор је упалио лампу."],
  ["sr", "admin*", "Администратор је упалио лампу."],
  ["el", "αναζή*", "Η αναζήτηση του φάρου."],
  ["el", "αναζη*", "Η αναζήτηση του φάρου."],
])("completes words whose stems have other letters: %s %s", async (languageCode, query, text) => {
  const other = await newNamespace(kb);
  await (await other.ingest({ type: "TEXT", text }, { languageCode })).done();
  const [hit] = await other.search(query, { mode: "keyword", includeHighlights: true });
  expect(hit?.text).toBe(text);
  expect(hit!.highlights).toHaveLength(1);
});

it("finds words in compounds, and the parts of compounds, after the words themselves", async () => {
  const compounds = await newNamespace(kb);
  const texts = {
    compound: "Der Leuchtturmwärter geht nach Hause.",
    word: "Der alte Leuchtturm steht noch immer.",
    parts: "Der Wärter des Leuchtturms war müde.",
    head: "Der Wärter war nicht auf dem Schiff.",
    derived: "Die Bildung ist nicht für alle dieselbe.",
    linked: "Die Sicherheitsabfrage kommt immer zuerst.",
  };
  for (const [name, text] of Object.entries(texts))
    await (await compounds.ingest({ type: "TEXT", text, fileName: name }, { languageCode: "de" })).done();
  const english = { type: "TEXT", text: "The lighthouse is old.", fileName: "english" } as const;
  await (await compounds.ingest(english, { languageCode: "en" })).done();
  const search = (query: string, options = {}) => compounds.search(query, { mode: "keyword", ...options });
  const names = async (query: string, options = {}) =>
    (await search(query, options)).map(({ metadata }) => metadata!.filename);

  expect(await names("Leuchtturm")).toEqual(["word", "parts", "compound"]);
  expect(await names("Leuchtturmwärter")).toEqual(["compound", "parts"]);
  expect(await names("Sicherheit")).toEqual(["linked"]);
  // Neither compounds that end with a word, nor endings, nor other languages.
  expect(await names("wärter")).toEqual(["parts", "head"]);
  expect(await names("bild", { typoTolerance: false })).toEqual([]);
  expect(await names("light", { typoTolerance: false })).toEqual([]);
  expect(await names('"der leuchtturm"')).toEqual([]);
  expect(new Set(await names("immer", { keywordFilter: "leuchtturm" }))).toEqual(new Set(["word"]));
  expect(new Set(await names("der geht müde", { keywordFilter: "leuchtturmwärter" }))).toEqual(
    new Set(["compound", "parts"]),
  );
  const marked = async (query: string) => {
    const hits = await search(query, { includeHighlights: true, explain: true });
    for (const { explanation } of hits) expect(explanation!.keyword!.termsMissing).toEqual([]);
    return hits.map(({ text, highlights }) => highlights!.map(({ start, end }) => text.slice(start, end)));
  };
  expect(await marked("Leuchtturm")).toEqual([["Leuchtturm"], ["Leuchtturms"], ["Leuchtturmwärter"]]);
  expect(await marked("Leuchtturmwärter")).toEqual([["Leuchtturmwärter"], ["Wärter", "Leuchtturms"]]);
});

it("finds a word before any number of its compounds, by the frequency of the word itself", async () => {
  const compounds = await newNamespace(kb);
  const context = "Der Leiter der Abteilung hat mit den Kollegen über die Pläne für das kommende Jahr gesprochen.";
  const texts = [
    ...Array.from({ length: 300 }, (_, index) => `Bankkonto oder Bankkonten ${index}.`),
    `${context} Vor dem Haus steht die Bank. ${context}`,
  ];
  const items = texts.map((text) => ({ type: "TEXT" as const, text }));
  await (await compounds.ingest({ type: "BATCH", items }, { languageCode: "de" })).done();
  for (const mode of ["keyword", "hybrid"] as const) {
    const [first, second] = await compounds.search("Bank", { mode, topK: 2 });
    expect(first!.text).toContain("die Bank");
    expect(first!.score).toBeGreaterThan(second!.score);
  }
});

it("divides the longest words of a query only", async () => {
  const compounds = await newNamespace(kb);
  const text = "Der Wärter des Leuchtturms war müde.";
  await (await compounds.ingest({ type: "TEXT", text }, { languageCode: "de" })).done();
  const others = (length: number) =>
    Array.from({ length: 8 }, (_, index) => "abcdefgh"[index]!.repeat(length)).join(" ");
  const search = (query: string, options = {}) =>
    compounds.search(query, {
      mode: "keyword",
      typoTolerance: false,
      includeHighlights: true,
      explain: true,
      ...options,
    });
  const [hit] = await search(`Leuchtturmwärter ${others(15)}`);
  expect(hit!.explanation!.keyword!.termsFound).toEqual(["Leuchtturmwärter"]);
  expect(hit!.highlights).toHaveLength(2);
  const [other] = await search(`müde Leuchtturmwärter ${others(17)}`);
  expect(other!.explanation!.keyword!.termsFound).toEqual(["müde"]);
  expect(other!.highlights).toHaveLength(1);
  expect(await search("müde", { keywordFilter: "Leuchtturmwärter" })).toHaveLength(1);
  expect(await search("müde", { keywordFilter: `Leuchtturmwärter${"x".repeat(17)}` })).toHaveLength(0);
});

it("counts a form of a word once that also begins like a compound of it", async () => {
  const namespace = await newNamespace(kb);
  // "emberekhezt" is indexed as "emberekhez" without its diacritics, which begins with the stem "ember".
  for (const text of ["emberekhezt kutya hajó", "macska tenger madár", "kenyér vaj alma"])
    await (await namespace.ingest({ type: "TEXT", text }, { languageCode: "hu" })).done();
  const bm25 = async (query: string) =>
    (await namespace.search(query, { mode: "hybrid", explain: true }))[0]!.explanation!.keyword!.bm25;
  // Less a fifth for the other form.
  expect(await bm25("emberekhez")).toBeCloseTo(0.8 * (await bm25("macska")), 12);
});
