import type { Destination } from "./group.js";

/** Control words that represent characters. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["line", "\n"],
  ["lbr", "\n"],
  ["emdash", "—"],
  ["endash", "–"],
  ["emspace", " "],
  ["enspace", " "],
  ["qmspace", " "],
  ["bullet", "•"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["zwj", "\u200d"],
  ["zwnj", "\u200c"],
]);

/** The destination of the text in a group, by the first control word of the group. */
export const DESTINATIONS: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ["fonttbl", "fonts"],
  ["stylesheet", "styles"],
  ["info", "info"],
  ["fldinst", "instruction"],
  ["listtext", "marker"],
  ["pntext", "marker"],
  ["atnauthor", "author"],
  ["sn", "propertyName"],
  ["sv", "propertyValue"],
  ["shpinst", "skipText"],
  ["picprop", "skipText"],
  ...[
    "colortbl",
    "filetbl",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "nonshppict",
    "shprslt",
    "nonesttables",
    "mmathPict",
    "objdata",
    "objclass",
    "objname",
    "bkmkstart",
    "bkmkend",
    "atnid",
    "atnref",
    "atndate",
    "atntime",
    "atnicn",
    "atnparent",
    "xe",
    "tc",
    "tcn",
    "rxe",
    "txe",
    "ftnsep",
    "ftnsepc",
    "ftncn",
    "aftnsep",
    "aftnsepc",
    "aftncn",
    "private",
    "template",
    "pgdsctbl",
    "fldtype",
    "datafield",
    "formfield",
    "pnseclvl",
    "pntxta",
    "pntxtb",
    "fontemb",
    "fontfile",
    "falt",
    "panose",
    "generator",
  ].map((word) => [word, "skipAll"] as const),
]);

/** Matches the control words of groups that contain paragraphs of their own. */
export const FLOW_WORD_PATTERN = /^(?:shptxt|dptxbxtext|header[lrf]?|footer[lrf]?|footnote|annotation)$/;

/** Control words of the groups that are read although `\*` allows readers to ignore them. */
export const SUPPORTED_IGNORABLE_DESTINATIONS: ReadonlySet<string> = new Set([
  "fldinst",
  "fldrslt",
  "shpinst",
  "shppict",
  "picprop",
  "shptxt",
  "annotation",
  "atnauthor",
  "nesttableprops",
  "pn",
  "ud",
  "moMath",
  "moMathPara",
  "do",
  "footnote",
  "hyphen",
]);

/** Code pages by the character set of a font. */
export const CHARSET_CODE_PAGES: ReadonlyMap<number, number> = new Map([
  [0, 1252],
  [2, 1252],
  [77, 10000],
  [78, 10001],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
  [254, 437],
  [255, 850],
]);

/** Code pages by the control word that selects them. */
export const CODE_PAGE_WORDS: ReadonlyMap<string, number> = new Map([
  ["ansi", 1252],
  ["mac", 10000],
  ["pc", 437],
  ["pca", 850],
]);

/** Metadata keys by the control word of their group. */
export const INFO_KEYS: ReadonlyMap<string, string> = new Map([
  ["title", "title"],
  ["author", "author"],
  ["subject", "subject"],
  ["keywords", "keywords"],
  ["doccomm", "description"],
  ["creatim", "created"],
  ["revtim", "modified"],
]);
