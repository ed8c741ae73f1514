import {
  findModelOrEnglish,
  hasTesseract,
  modelPackage,
  requireModelOrEnglish,
  requireTesseract,
} from "./load-tesseract.js";

/** Two-letter language codes and the three-letter codes of OCR models. */
const CODE_PAIRS = `
  af:afr am:amh ar:ara as:asm az:aze be:bel bg:bul bn:ben bo:bod bs:bos ca:cat cs:ces cy:cym da:dan de:deu el:ell
  en:eng eo:epo es:spa et:est eu:eus fa:fas fi:fin fr:fra ga:gle gl:glg gu:guj he:heb hi:hin hr:hrv ht:hat hu:hun
  id:ind is:isl it:ita ja:jpn jv:jav ka:kat kk:kaz km:khm kn:kan ko:kor ku:kur ky:kir la:lat lo:lao lt:lit lv:lav
  mk:mkd ml:mal mr:mar ms:msa mt:mlt my:mya nb:nor ne:nep nl:nld nn:nor no:nor or:ori pa:pan pl:pol ps:pus pt:por
  ro:ron ru:rus sa:san si:sin sk:slk sl:slv sq:sqi sr:srp sv:swe sw:swa ta:tam te:tel tg:tgk th:tha tl:tgl tr:tur
  ug:uig uk:ukr ur:urd uz:uzb vi:vie yi:yid`;

const MODEL_CODES = new Map(
  CODE_PAIRS.trim()
    .split(/\s+/)
    .map((pair) => pair.split(":") as [string, string]),
);

/**
 * Returns the code of the OCR model for a language, or of the English model with a warning if there is none.
 * @throws `unsupported` if OCR is not installed.
 */
export function ocrLanguage(languageCode: string | undefined): { language: string; warnings: string[] } {
  requireTesseract();
  const requested = requestedModelLanguage(languageCode);
  const { language } = requireModelOrEnglish(requested ?? "eng");
  if (language === requested) return { language, warnings: [] };
  const solution = requested === null ? "" : ` Install its model with: npm install ${modelPackage(requested)}`;
  const problem = requested === null ? "is not a known language" : "is not installed";
  return {
    language,
    warnings: [`Text was recognised as English, because the language "${languageCode}" ${problem}.${solution}`],
  };
}

/** Returns the language of the model that OCR would use; `null` if OCR is not installed. */
export function installedModelLanguage(languageCode: string | undefined): string | null {
  return hasTesseract() ? (findModelOrEnglish(requestedModelLanguage(languageCode) ?? "eng")?.language ?? null) : null;
}

function requestedModelLanguage(languageCode: string | undefined): string | null {
  return languageCode === undefined ? "eng" : toModelCode(languageCode);
}

/** Returns the OCR model's code of a language, given as `de`, `de-AT`, `zh-Hant` or `deu`; `null` if unknown. */
function toModelCode(languageCode: string): string | null {
  const code = languageCode.trim().replaceAll("_", "-");
  if (/^[a-z]{3}$/i.test(code)) return code.toLowerCase();
  try {
    const { language, script } = new Intl.Locale(code).maximize();
    if (language === "zh") return script === "Hant" ? "chi_tra" : "chi_sim";
    return MODEL_CODES.get(language) ?? (language.length === 3 ? language : null);
  } catch {
    return null;
  }
}
