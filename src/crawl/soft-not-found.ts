import { decodeEscapes } from "../sources/decode-escapes.js";

/** What is compared of a page: the address stands in many an error page. */
export interface ComparedPage {
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** A page that says it isn't there has few words; one about such pages has more. */
const MAX_WORDS = 150;

/** Of a title no more is looked at. */
const MAX_TITLE = 300;

/** Share of words in common from which a page is the same as the site's answer to an address that can't exist. */
const MIN_SIMILARITY = 0.9;

/** What sites write in the title of such a page, as the whole of it or of one of its parts. */
const TITLES = [
  /^(?:error |http )?404(?: error)?(?:[ :.!-]*(?:page |file )?not found)?$/,
  /^(?:error[ :]*)?(?:the |this )?(?:page|document|file|article|content|requested url|url) (?:(?:was|could|can|is|does) ?)?(?:not|n['’]t|no longer) (?:be )?(?:found|exists?|available)$/,
  /^(?:not found|nothing found|no such page|page missing)$/,
  /^(?:diese |die )?seite (?:(?:wurde |konnte )?nicht gefunden(?: werden)?|existiert nicht)$/,
  /^(?:la |cette )?page (?:introuvable|non trouvée|n['’]existe pas)$/,
  /^(?:la )?página no (?:encontrada|existe)$/,
  /^página não encontrada$/,
  /^pagina (?:non trovata|niet gevonden)$/,
  /^(?:sidan|siden|sivua) (?:hittades inte|blev ikke fundet|ble ikke funnet|ei löytynyt)$/,
  /^nie znaleziono strony$|^strona nie istnieje$|^stránka nenalezena$/,
  /^страница не найдена$|^сторінку не знайдено$/,
  /^(?:页面不存在|页面未找到|找不到页面|頁面不存在|找不到頁面)$/,
  /^ページが見つかりません(?:でした)?$/,
  /^페이지를 찾을 수 없습니다$/,
];

/**
 * Whether a page that was answered with 200 says that there is no such page: by its title where it has few words, or because it reads
 * like what the site answers to an address that can't exist.
 *
 * @param missing That answer; null where the site says 404 to it, as it should.
 */
export function isSoftNotFound(page: ComparedPage, missing: ComparedPage | null): boolean {
  if (saysNotFound(page)) return true;
  if (missing === null) return false;
  const isSameTitle = wordsOf(page, page.title).join(" ") === wordsOf(missing, missing.title).join(" ");
  return isSameTitle && similarity(wordsOf(page, page.text), wordsOf(missing, missing.text)) >= MIN_SIMILARITY;
}

function saysNotFound({ title, text }: ComparedPage): boolean {
  if (title === null || text.split(" ", MAX_WORDS + 1).length > MAX_WORDS) return false;
  const whole = title.slice(0, MAX_TITLE).toLowerCase();
  const parts = whole.split(/\s+[|–—·•»«:-]+\s+|\s*[|–—·•»«]\s*/);
  return [whole, ...parts].some((part) => TITLES.some((pattern) => pattern.test(part.trim().replace(/[.!…]+$/, ""))));
}

/** The words of a text, apart from those of the page's own address. */
function wordsOf({ url }: ComparedPage, text: string | null): string[] {
  const own = new Set(wordsIn(new URL(url).href));
  return wordsIn(text ?? "").filter((word) => !own.has(word));
}

function wordsIn(text: string): string[] {
  return (
    decodeEscapes(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Sørensen and Dice's coefficient of two bags of words: 1 for the same words, 0 for none in common. */
function similarity(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 1;
  const counts = new Map<string, number>();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const left = counts.get(word) ?? 0;
    if (left > 0) common++;
    counts.set(word, left - 1);
  }
  return (2 * common) / (a.length + b.length);
}
