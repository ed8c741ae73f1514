import { getOrCreate } from "../util/get-or-create.js";
import type { Analyzer } from "./analyzer.js";
import { keywordPhrase, wordPrefix } from "./keyword-text.js";
import { ENGLISH, languageOfStemming, type Stemming, UNSTEMMED } from "./stemming.js";

/** A phrase that begins with the typed text and whose last word is indexed under a different stem. */
export interface Completion {
  readonly phrase: string;
  /** The last word in its indexed form. */
  readonly token: string;
}

/** Suffixes that stemming removes or changes, by language. */
const SUFFIXES: Readonly<Record<string, string>> = {
  en: `ability able ably ally ance ancy ate ated ating ation ational ations ator ed eed eli ely ence ency ent ently er ers es
    fulness ible ical icate ied ies ing ingly ings ion ional ions ish ism ist ities ity ive iveness ivity ization
    izations ize ized izer izing less ly ment ments ness ous ously ousness y`,
  de: "ung ungen heit heiten keit keiten lich liche lichen licher liches isch ische ischen ig ige igen end ende enden ern erin erinnen est",
  fr: `ation ations ateur atrice ement ements ance ances ence ité ités ique iques isme iste ive ives euse euses able ables
    aient issent issant ées és ée er ez ons`,
  es: `ación aciones ador adores amente mente ancia encia idad idades ico ica icos icas ismo ista ivo iva able ible ando
    iendo aron ieron aba aban ado ada ados adas ido ida ar er ir os as es`,
  it: "azione azioni atore atori amente mente anza enza ità ico ica ici iche ismo ista ivo iva abile ibile ando endo ato ata ati ate are ere ire",
  pt: `ação ações ador adores amente mente ância ência idade idades ico ica icos icas ismo ista ivo iva ável ível ando endo
    aram ado ada ados adas ido ida ar er ir os as es`,
  nl: "heid heden ing ingen lijk lijke end ende eren isch ische baar bare en e s",
  sv: "ningen ningar ning heten heter het arna erna orna ande ende aren ade at er ar or en et a",
  da: "ningen ninger ning heden heder hed erne ende ede ene eren er en et e",
  no: "ningen ninger ning heten heter het ene ende ede eren er en et e",
  fi: "issa issä ista istä iin illa illä ilta iltä ille ksi ssa ssä sta stä lla llä lta ltä lle nsa nsä mme tta ttä den jen ien n t a ä",
  hu: "ban ben nak nek hoz hez val vel ból ből ról ről tól től ság ség ások ések ák ék ok ek ot et i k t",
  ro: "ului ilor elor ație ații ator atoare ește esc ează are ere ire ată ate ați at ul le ii ei lor ă a e i",
  ru: "ость ости остью ение ения ением ами ями ого его ому ему ыми ими ать ять ить ала али ает ют ный ная ное ные ных ий ый ая ой ов ев ах ях ам ям ом ем а е и о у ы ю я ь",
  tr: "lar ler ları leri lık lik lıkları mak mek ması mesi dan den nın nin ında inde dır dir mış miş acak ecek iyor ı i u ü",
};
const LETTER_END_PATTERN = /\p{L}$/u;
const ENGLISH_END_PATTERN = /[a-z]$/i;

/**
 * Returns what the last typed word begins with if it is indexed without being stemmed; `undefined` if there is no word.
 */
export function prefixToken(analyzer: Analyzer, typed: string, stemming: Stemming): string | undefined {
  const [tokens] = analyzer.terms([keywordPhrase(wordPrefix(typed, stemming), UNSTEMMED)]);
  // Without the suffix.
  return tokens!.at(-1)?.slice(0, -1);
}

/**
 * Completes typed text with the tails of a language's suffixes and returns the completions whose stems a prefix search
 * would miss: "running" is indexed as "run", which doesn't begin with "runn". None for texts that are not stemmed.
 */
export function findCompletions(analyzer: Analyzer, typed: string, stemming: Stemming): readonly Completion[] {
  if (stemming === UNSTEMMED) return [];
  if (!(stemming === ENGLISH ? ENGLISH_END_PATTERN : LETTER_END_PATTERN).test(typed)) return [];
  const begun = prefixToken(analyzer, typed, stemming)!;
  const phrases = tailsOf(stemming).map((tail) => keywordPhrase(typed + tail, stemming));
  const tokens = analyzer.terms(phrases).map((words) => words.at(-1)!);
  const completions = new Map(tokens.map((token, index) => [token, { token, phrase: phrases[index]! }]));
  // "off" + "ing" would be stemmed to "of", and "inn" + "ing" to "in". Skipping such stems means missing "inning".
  const endsInDoubleLetter = stemming === ENGLISH && /(.)\1$/.test(begun);
  return [...completions.values()].filter(
    ({ token }) => !token.startsWith(begun) && !(endsInDoubleLetter && token.length < 3),
  );
}

const tailsByStemming = new Map<Stemming, readonly string[]>();

/** Returns the tails of a language's suffixes, and an empty one: what may be missing from a word that is being typed. */
function tailsOf(stemming: Stemming): readonly string[] {
  return getOrCreate(tailsByStemming, stemming, () => {
    const suffixes = SUFFIXES[languageOfStemming(stemming)!]?.split(/\s+/) ?? [];
    return ["", ...new Set(suffixes.flatMap((suffix) => [...suffix].map((_, from) => suffix.slice(from))))];
  });
}
