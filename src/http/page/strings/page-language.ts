import type { PageStrings } from "./english.js";

/** The language in which a visitor gets the page's own texts. */
export interface PageLanguage {
  /** For the attribute `lang` and for `Intl`. */
  readonly code: string;
  readonly direction: "ltr" | "rtl";
  readonly strings: PageStrings;
}

const DEFAULT = "en";

/** The texts of each language, loaded with the first page in it. */
const LANGUAGES: Readonly<Record<string, () => Promise<PageStrings>>> = {
  en: async () => (await import("./english.js")).english,
  ar: async () => (await import("./arabic.js")).arabic,
  de: async () => (await import("./german.js")).german,
  es: async () => (await import("./spanish.js")).spanish,
  fr: async () => (await import("./french.js")).french,
  ja: async () => (await import("./japanese.js")).japanese,
  pt: async () => (await import("./portuguese.js")).portuguese,
};

/** The language that a request's `Accept-Language` prefers among those of the pages; English if it names none of them. */
export async function languageOf({ headers }: Request): Promise<PageLanguage> {
  const code = preferredTags(headers.get("accept-language") ?? "").find((tag) => Object.hasOwn(LANGUAGES, tag));
  const chosen = code ?? DEFAULT;
  return { code: chosen, direction: chosen === "ar" ? "rtl" : "ltr", strings: await LANGUAGES[chosen]!() };
}

/** A header as long as those of browsers; the rest of a longer one is ignored. */
const MAX_HEADER_LENGTH = 1000;

/** The primary languages of the header's ranges (RFC 9110, section 12.5.4), most preferred first. */
function preferredTags(header: string): readonly string[] {
  const ranges = header
    .slice(0, MAX_HEADER_LENGTH)
    .split(",")
    .map((range) => {
      const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return { tag: tag.split("-")[0]!, quality: Number(quality) };
    });
  return ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}
