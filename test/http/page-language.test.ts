import { describe, expect, it } from "vitest";
import { fillCount } from "#dist/http/page/strings/fill.js";
import { languageOf } from "#dist/http/page/strings/page-language.js";
import { openPage } from "./support/page-server.js";
import { readEvents, userMessage } from "./support/ui-message-stream.js";

const CODES = ["en", "ar", "de", "es", "fr", "ja", "pt"] as const;
const stringsOf = async (code: string) => (await tableOf(code)).strings;
const tableOf = (header: string) =>
  languageOf(new Request("http://localhost/", { headers: header === "" ? {} : { "accept-language": header } }));

/** The texts of a table, by path. Plural forms are one text each. */
function textsOf(table: object, path = ""): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(table)) {
    if (typeof value === "string") texts.set(`${path}${key}`, value);
    else for (const [inner, text] of textsOf(value, `${path}${key}.`)) texts.set(inner, text);
  }
  return texts;
}

const placesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join(" ");
const isPlural = (value: unknown): value is { other: string } =>
  typeof value === "object" && value !== null && "other" in value;

describe("the texts of pages", () => {
  it.each(CODES)("are complete in %s", async (code) => {
    const [english, strings] = [textsOf(await stringsOf("en")), textsOf(await stringsOf(code))];
    for (const [path, text] of strings) {
      expect(text.trim(), path).not.toBe("");
      const original = english.get(path) ?? english.get(path.replace(/\w+$/, "other"));
      // The forms of Arabic for one and two are words.
      const places = /\.(?:zero|one|two)$/.test(path) ? ["", placesIn(original!)] : [placesIn(original!)];
      expect(places, path).toContain(placesIn(text));
    }
  });

  it.each(CODES)("have the plural forms of %s", async (code) => {
    const { client } = await stringsOf(code);
    const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
    const plurals = Object.entries(client).filter(([, value]) => isPlural(value));
    expect(plurals.map(([name]) => name).sort()).toEqual(["rateLimitedFor", "reading", "resultCount"]);
    for (const [name, forms] of plurals) expect(Object.keys(forms).sort(), name).toEqual([...pluralCategories].sort());
  });

  it("count as the language does", async () => {
    const results = async (code: string, count: number) =>
      fillCount((await stringsOf(code)).client.resultCount, count, code);
    expect(await Promise.all([results("en", 1), results("en", 1200)])).toEqual(["1 result", "1,200 results"]);
    expect(await Promise.all([results("de", 1), results("de", 1200)])).toEqual(["1 Ergebnis", "1.200 Ergebnisse"]);
    expect(await Promise.all([results("ar", 2), results("fr", 0)])).toEqual(["نتيجتان", "0 résultat"]);
  });
});

describe("the language of a page", () => {
  it.each([
    ["", "en"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en;q=0.5, fr-CA;q=0.7", "fr"],
    ["zh-CN,pt-BR;q=0.3", "pt"],
    ["de;q=0, es", "es"],
    ["zh,ko", "en"],
    ["*", "en"],
    ["AR", "ar"],
    ["constructor,__proto__,ja", "ja"],
    [";;q=,,=;de;q=x,fr", "fr"],
  ])("is what the visitor prefers: %s", async (header, code) => {
    expect((await tableOf(header)).code).toBe(code);
  });

  it("is that of the head, the form, the results and the script, and no other is sent", async () => {
    const page = await openPage();
    const { text, headers } = await page.get("?q=paraffin", { "accept-language": "de" });
    expect(headers.vary).toBe("accept-language");
    expect(text).toContain('<html lang="de" dir="ltr">');
    expect(text).toContain('<label for="q">Dokumente durchsuchen</label>');
    expect(text).toContain('<h2 id="results-heading">Ergebnisse</h2>');
    const { language, strings } = JSON.parse(/id="lorebase">(.*?)<\/script>/s.exec(text)![1]!);
    expect([language, strings]).toEqual(["de", (await stringsOf("de")).client]);
    for (const other of ["Search the documents", "Rechercher"]) expect(text).not.toContain(other);
    expect((await page.get("", { "accept-language": "ar-EG" })).text).toContain('<html lang="ar" dir="rtl">');
    expect((await page.get()).text).toContain('<html lang="en" dir="ltr">');
    const missing = await fetch(`${page.url}/h/no-such-page`, { headers: { "accept-language": "fr" } });
    expect(await missing.text()).toContain("<h1>Page introuvable</h1>");
    const empty = await openPage({ text: null });
    expect((await empty.get("?q=lamp", { "accept-language": "ja" })).text).toContain("何も見つかりませんでした。");
  });

  it("is that of errors, of the e-mail with a code and of the panel's loader", async () => {
    const page = await openPage({ settings: { protected: true, allowedEmails: ["ada@example.com"], title: "Turm" } });
    const german = { "accept-language": "de" };
    expect(JSON.parse((await page.get("/search?q=a", german)).text).error).toEqual({
      code: "sign_in_required",
      message: "Melden Sie sich an, um diese Seite zu nutzen.",
    });
    expect((await page.post("/sign-in", { email: "ada" }, german)).text).toContain("Das ist keine E-Mail-Adresse.");
    await page.post("/sign-in", { email: "ada@example.com" }, german);
    await expect.poll(() => page.emails.length).toBe(1);
    const { subject, text } = page.emails[0]!;
    expect(subject).toMatch(/^\d{6} ist Ihr Code für Turm$/);
    expect(text).toMatch(/^Ihr Code für Turm ist \d{6}\. .*ignorieren Sie diese E-Mail\.\n$/s);
    const loader = await fetch(`${page.url}/embed.js`, { headers: german });
    expect(loader.headers.get("vary")).toBe("accept-language");
    expect(await loader.text()).toContain('{"ask":"Fragen","close":"Schließen"}');
  });

  it("is that of fixed sentences in answers", async () => {
    const page = await openPage();
    const ask = async (question: string) => {
      const { text } = await page.post("/chat", { messages: [userMessage(question)] }, { "accept-language": "fr" });
      return readEvents(text);
    };
    const none = await ask("Who won the elections in Peru?");
    expect(none.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("")).toBe(
      "Aucune réponse n’a été trouvée dans les documents.",
    );
    const answered = await ask("When is the lamp lit?");
    expect(answered.find((event) => event.type === "data-suggestions")?.data.questions).toEqual([
      "Qu’en est-il de «\u00a0Fog horn\u00a0»\u00a0?",
    ]);
  });
});
