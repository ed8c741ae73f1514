import type { Destination } from "./group.js";

/** Control words that stand for characters. */
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

/** Where the text of a group goes by the word that it begins with. */
export const DESTINATIONS: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ["fonttbl", "fonts"],
  ["stylesheet", "styles"],
  ["info", "info"],
  ["fldinst", "instruction"],
  ["listtext", "marker"],
  ["pntext", "marker"],
  ["atnauthor", "author"],
  ["sn", "propName"],
  ["sv", "propValue"],
  ["shpinst", "props"],
  ["picprop", "props"],
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
  ].map((word) => [word, "skip"] as const),
]);

/** Groups that hold paragraphs of their own. */
export const FLOWS = /^(?:shptxt|dptxbxtext|header[lrf]?|footer[lrf]?|footnote|annotation)$/;

/** Groups marked as ignorable that are read all the same. */
export const KNOWN_STARRED: ReadonlySet<string> = new Set([
  "fldinst",
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

/** Fonts' character sets and the code pages that they mean. */
export const CHARSETS: ReadonlyMap<number, number> = new Map([
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

/** Code pages named by a control word of their own. */
export const CODE_PAGE_WORDS: ReadonlyMap<string, number> = new Map([
  ["ansi", 1252],
  ["mac", 10000],
  ["pc", 437],
  ["pca", 850],
]);

/** What the document says of itself and the key that each is kept under. */
export const INFO_KEYS: ReadonlyMap<string, string> = new Map([
  ["title", "title"],
  ["author", "author"],
  ["subject", "subject"],
  ["keywords", "keywords"],
  ["doccomm", "description"],
  ["creatim", "created"],
  ["revtim", "modified"],
]);
