import { decodePercentEscapes } from "../net/decode-percent-escapes.js";

/** The parts of a page that are compared. The URL is included because many error pages quote it. */
export interface PageSample {
  readonly url: string;
  readonly title: string | null;
  readonly text: string;
}

/** Error pages are short; articles about error pages are longer. */
const MAX_ERROR_PAGE_WORDS = 150;

/** Only the start of a longer title is examined. */
const MAX_TITLE_CHARS = 300;

/** The Dice coefficient at or above which a page counts as the site's response to a URL that doesn't exist. */
const MIN_SIMILARITY = 0.9;

/** Patterns of the titles of error pages, or of parts of such titles. */
const ERROR_TITLE_PATTERNS = [
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
 * Whether a page served with status 200 is an error page: it is short and has the title of an error page, or it reads
 * like the site's response to a URL that doesn't exist.
 *
 * @param notFoundSample The response to a URL that doesn't exist; `null` if the site answers
 * such a URL with an error status, as it should.
 */
export function isSoft404(page: PageSample, notFoundSample: PageSample | null): boolean {
  if (hasErrorTitle(page)) return true;
  if (notFoundSample === null) return false;
  const isSameTitle = wordsOf(page, page.title).join(" ") === wordsOf(notFoundSample, notFoundSample.title).join(" ");
  const similarity = diceCoefficient(wordsOf(page, page.text), wordsOf(notFoundSample, notFoundSample.text));
  return isSameTitle && similarity >= MIN_SIMILARITY;
}

function hasErrorTitle({ title, text }: PageSample): boolean {
  if (title === null || text.split(" ", MAX_ERROR_PAGE_WORDS + 1).length > MAX_ERROR_PAGE_WORDS) return false;
  const fullTitle = title.slice(0, MAX_TITLE_CHARS).toLowerCase();
  const parts = fullTitle.split(/\s+[|–—·•»«:-]+\s+|\s*[|–—·•»«]\s*/);
  return [fullTitle, ...parts].some((part) =>
    ERROR_TITLE_PATTERNS.some((pattern) => pattern.test(part.trim().replace(/[.!…]+$/, ""))),
  );
}

/** Returns the words of a text without those of the page's URL. */
function wordsOf({ url }: PageSample, text: string | null): string[] {
  const urlWords = new Set(splitWords(new URL(url).href));
  return splitWords(text ?? "").filter((word) => !urlWords.has(word));
}

function splitWords(text: string): string[] {
  return (
    decodePercentEscapes(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Returns the Sørensen–Dice coefficient of two bags of words: 1 if they are equal, 0 if they are disjoint. */
function diceCoefficient(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 1;
  const counts = new Map<string, number>();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const remaining = counts.get(word) ?? 0;
    if (remaining > 0) common++;
    counts.set(word, remaining - 1);
  }
  return (2 * common) / (a.length + b.length);
}
