import { describe, expect, test } from "vitest";
import { parseDocument } from "#dist/parsers/parse-document.js";
import { readText } from "#dist/parsers/shared/charset/read-text.js";
import { sourceFile } from "../support/make-files.js";

/** Text as bytes of a charset, by turning its decoder round. */
function encoded(charset: string, text: string): Buffer {
  const decoder = new TextDecoder(charset);
  const bytes = new Map<string, number[]>();
  const learn = (...code: number[]): void => {
    const char = decoder.decode(Uint8Array.from(code));
    if (char.length === 1 && char !== "\ufffd" && !bytes.has(char)) bytes.set(char, code);
  };
  for (let byte = 0; byte < 256; byte++) learn(byte);
  if (!/^(?:windows|iso|koi8|ibm)/.test(charset)) {
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) learn(lead, trail);
  }
  return Buffer.from([...text].flatMap((char) => bytes.get(char) ?? [0x3f]));
}

describe("a charset that nothing declares", () => {
  test.each([
    ["windows-1252", "Größe;Straße\nMüller;Köln"],
    ["windows-1252", "Le château était fermé, paraît-il. Déjà vu."],
    ["windows-1250", "imię;miasto\nŁukasz;Łódź\nGrażyna;Gdańsk"],
    ["windows-1251", "имя;город\nИван;Москва"],
    ["windows-1251", "Привет, как дела? Это простой текст на русском языке."],
    ["koi8-r", "Привет, как дела? Это простой текст на русском языке."],
    ["windows-1253", "Καλημέρα σας, πώς είστε σήμερα;"],
    ["windows-1255", "שלום עולם, מה שלומך היום"],
    ["windows-1256", "مرحبا بالعالم كيف حالك اليوم"],
    ["shift_jis", "名前,年齢\n佐藤太郎,30"],
    ["euc-jp", "こんにちは世界"],
    ["gb18030", "姓名,城市\n张伟,北京"],
    ["big5", "姓名,城市\n張偉,臺北"],
    ["euc-kr", "안녕하세요 세계"],
  ])("%s is found out: %j", async (charset, text) => {
    expect((await readText(encoded(charset, text))).text).toBe(text);
  });
});

describe("a charset of a text of few words", () => {
  const russian = [
    "Привет, мир",
    "Отчёт за 2023 год",
    "ПРИВЕТ МИР",
    "Hello Привет",
    'ООО "Ромашка"',
    "Приложение к договору",
  ];
  test.each([
    ["windows-1251", [...russian, "Москва", "Сумма: 100 руб.", "Київ, Україна"]],
    ["koi8-r", [...russian, "Москва", "Сумма: 100 руб."]],
    ["ibm866", [...russian, "Москва", "Сумма: 100 руб."]],
    ["windows-1252", ["Straße", "España", "25 °C", "© 2020", "Århus", "DÉJÀ VU"]],
    ["windows-1252", ["½ cup of sugar, ¼ cup", "5µm ± 2", "M²", "«hi»", "x×y ÷ 2", "£20 per m²", "© 2020 Foo®"]],
    ["windows-1250", ["Łódź", "Příliš žluťoučký", "był"]],
    ["windows-1253", ["Καλημέρα", "Ελλάδα"]],
    ["windows-1255", ["שלום עולם"]],
    ["windows-1256", ["مرحبا"]],
    ["shift_jis", ["東京", "会議の議事録です。"]],
    ["gb18030", ["中国", "会议纪要"]],
    ["euc-kr", ["서울", "회의록"]],
    ["big5", ["台灣", "你好"]],
  ])("%s is found out", async (charset, texts) => {
    const decoded = await Promise.all(texts.map(async (text) => (await readText(encoded(charset, text))).text));
    expect(decoded).toEqual(texts);
  });
});

describe("a charset that the file declares", () => {
  const text = "Příliš žluťoučký";
  test.each([
    ["HTML", `<meta charset="iso-8859-2"><p>${text}`],
    ["XML", `<?xml version="1.0" encoding="ISO-8859-2"?><p>${text}`],
    ["LaTeX", `\\usepackage[latin2]{inputenc} ${text}`],
    ["an editor's line", `-*- coding: iso-8859-2 -*-\n${text}`],
  ])("%s", async (_, content) => {
    expect((await readText(encoded("iso-8859-2", content))).text).toContain(text);
  });

  test("a wrong one gives way to what the bytes are", async () => {
    const page = `<html><head><meta charset="utf-8"></head><body><p>مرحبا بالعالم كيف حالك اليوم</p></body></html>`;
    const { blocks } = await parseDocument(sourceFile("a.html", encoded("windows-1256", page)));
    expect(blocks.map((block) => block.text)).toEqual(["مرحبا بالعالم كيف حالك اليوم"]);
  });
});

test("one damaged byte does not turn a UTF-8 text into another charset", async () => {
  const bytes = Buffer.concat([
    Buffer.from("Žluťoučký kůň a ještě něco víc "),
    Buffer.from([0xc5]),
    Buffer.from(" konec"),
  ]);
  expect(await readText(bytes)).toEqual({ text: "Žluťoučký kůň a ještě něco víc \ufffd konec", charset: "utf-8" });
});
