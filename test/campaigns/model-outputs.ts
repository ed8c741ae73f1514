import type { Random } from "./random.js";

/** What a language model writes, with what its answer should be where the parts say so. */
export interface ModelOutput {
  readonly source: string;
  /** The source as it is streamed: 1 to 40 characters at a time. */
  readonly chunks: readonly string[];
  /** Absent if the parts were put together without regard to what they mean together. */
  readonly expected?: ExpectedAnswer;
}

interface ExpectedAnswer {
  /** Without markers. */
  readonly text: string;
  /** What each marker supports, in order, with its numbers. */
  readonly claims: readonly ExpectedClaim[];
}

interface ExpectedClaim {
  readonly start: number;
  readonly end: number;
  readonly numbers: readonly number[];
}

interface Part extends ExpectedAnswer {
  readonly source: string;
}

interface Marker {
  readonly source: string;
  readonly numbers: readonly number[];
}

/** Sentences without the full stop. */
const STATEMENTS = [
  "The lamp is lit thirty minutes before sunset",
  "On **day 15** the lamp 💡 burned 42 litres of oil",
  "On **day 16** the lamp 💡 burned 45 litres of oil",
  "A ticket for the boat costs 34 pounds",
  "The **fog horn** sounds every ninety seconds",
  "Der Wärter heißt Jörg Köhler",
  "Le phare mesure 51 mètres",
  "Маяк построен в 1901 году",
  "The cat 🐈‍⬛ guards the oil 🛢️",
  "O\u0308l burns with a yellow flame",
  "灯塔的灯在日落前点亮",
  "שלום לשומר המגדלור",
  "Set `lamp[1]` to `on`",
  "The table [a] lists *x[i]*",
  "A link to [1](https://light.example/) stays",
  "Escaped \\[1\\] stays",
  "The code [12345] and the year [2024-01-01] stay",
  "It costs 1 < 2 & 3 > 2",
  "The formula $a_{[1a]}$ holds",
  "The number [99999999999999999999] is large",
];
const CODE = [
  "```js\nconst list = a[1] + b[2, 3];\n```",
  "~~~\n[1] is no marker 【2】\n```\n[3]\n~~~",
  "````md\n```\n[1]\n```\n````",
  "    x",
];
const UNFINISHED = ["[1", "[", " [1, ", "[^", "【2", "【2†so", "`a[1]", "```\nb [1]", "~~~\n[2]", "\\", "  ", "\n\n"];
/** For texts whose parts may mean anything together. */
const PIECES = [
  ...[
    "[1]",
    " [2]",
    "[1, 2]",
    "[1][2]",
    "[3-5]",
    "[^2]",
    "[99]",
    "[0]",
    "[001]",
    "[[1]]",
    "[1](",
    "[1]:",
    "[Passage 2]",
  ],
  ...[
    "【1】",
    "【2†a.md†L1-L9】",
    "[",
    "]",
    "【",
    "】",
    "(",
    ")",
    "!",
    "`",
    "``",
    "```",
    "~~~",
    "~",
    "\\",
    "|",
    "| ",
    "> ",
    "- ",
  ],
  ...[
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    "\u00a0",
    " ".repeat(50),
    "1. ",
    "# ",
    ".",
    ". ",
    "?",
    "。",
    "…",
    "*",
    "**",
    "<b>",
  ],
  ...[
    "lamp",
    "The lamp is lit",
    "x[1]",
    "[a](b)",
    "é",
    "灯",
    "🐈‍⬛",
    "\ud83d",
    "\u0000",
    "\u202e",
    "[12345]",
    "[1 and 2]",
    "[1 2 3]",
  ],
  ...[
    `[${"1, ".repeat(14)}2]`,
    `[${"1, ".repeat(30)}1]`,
    "[-1]",
    "[1.5]",
    "[１]",
    "[source 1; source 3]",
    "[1–3]",
    "[3-1]",
    "[1-99]",
  ],
];
const EMPTY: Part = { source: "", text: "", claims: [] };

export function makeOutput(random: Random): ModelOutput {
  if (random.next() < 0.3) {
    const source = Array.from({ length: random.integer(0, 40) }, () => random.pick(PIECES)).join("");
    return { source, chunks: cut(random, source) };
  }
  const blocks = Array.from({ length: random.integer(1, 5) }, () => block(random));
  const whole = join(blocks, "\n\n");
  const end = random.next() < 0.2 ? plain(`\n\n${random.pick(UNFINISHED)}`) : EMPTY;
  const { source, ...expected } = join([whole, end], "");
  return { source, chunks: cut(random, source), expected };
}

/** Cuts a text anywhere, also between the halves of a character. */
function cut(random: Random, text: string): readonly string[] {
  const longest = random.pick([1, 3, 8, 40]);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += chunks.at(-1)!.length)
    chunks.push(text.slice(at, at + random.integer(1, longest)));
  return chunks;
}

function block(random: Random): Part {
  const many = (make: () => Part, separator: string) =>
    join(Array.from({ length: random.integer(1, 4) }, make), separator);
  const item = (prefix: string) => () => join([plain(prefix), sentence(random)], "");
  const kinds = [
    () => many(() => sentence(random), " "),
    () => many(() => sentence(random), " "),
    () => many(item(random.pick(["- ", "* ", "1. ", "  - ", "> "])), "\n"),
    () => join([plain("## "), cited(random)], ""),
    () => join([plain("| a | b |\n|---|---|\n"), many(() => row(random), "\n")], ""),
    () => plain(random.pick(CODE)),
    () => citedCode(random),
    () => join([plain(random.pick(["", "- ", "1. ", "> ", "## "])), leading(random)], ""),
    () => alone(random),
  ];
  return random.pick(kinds)();
}

/** A statement with a marker, before or after its full stop, or with none. */
function sentence(random: Random): Part {
  const [statement, other] = [random.pick(STATEMENTS), random.pick(STATEMENTS)];
  const { source, numbers } = marker(random);
  const space = random.pick([" ", "", "  "]);
  return random.pick([
    () => join([cited(random), plain(".")], ""),
    () => supported(`${statement}.`, { source: space + source, numbers }),
    () => plain(`${statement}.`),
    // Of two markers with only a full stop between them, both support the same.
    () => twice(statement, { source, numbers }, marker(random)),
    // A nested marker leaves the outer brackets.
    () => join([supported(`${statement} [`, { source, numbers }), plain("].")], ""),
    () => join([cited(random), plain(" and "), { ...cited(random, other), isContinued: true }, plain(".")], ""),
  ])();
}

function twice(statement: string, first: Marker, second: Marker): Part {
  const numbers = [...first.numbers, ...second.numbers];
  const claims = [{ start: 0, end: statement.length, numbers }];
  return { source: `${statement} ${first.source}. ${second.source}`, text: `${statement}.`, claims };
}

function cited(random: Random, statement = random.pick(STATEMENTS)): Part {
  const { source, numbers } = marker(random);
  return supported(statement, { source: random.pick([" ", "", "   "]) + source, numbers });
}

function row(random: Random): Part {
  const cells = join([plain("| "), cited(random), plain(" | "), cited(random), plain(" |")], "");
  return random.next() < 0.7 ? cells : citedRow(random);
}

/** Markers after a row support the cells of it that have none. */
function citedRow(random: Random): Part {
  const [first, second] = [random.pick([plain(random.pick(STATEMENTS)), cited(random)]), random.pick(STATEMENTS)];
  const { source, numbers } = marker(random);
  const text = `${first.text} | ${second}`;
  const start = first.claims.length > 0 ? first.text.length + " | ".length : 0;
  const claims = [...first.claims, { start, end: text.length, numbers }];
  const cells = { source: `${first.source} | ${second} | ${source}`, text: `${text} |`, claims };
  return join([plain("| "), cells], "");
}

/** Markers after a block of code, or in the next paragraph, support the whole block. */
function citedCode(random: Random): Part {
  const { source, numbers } = marker(random);
  const text = random.pick(CODE.slice(0, -1));
  const space = random.pick(["", " ", "\n", "\n\n"]);
  const claims = [{ start: 0, end: text.length, numbers }];
  return { source: text + space + source, text: text + space.replace(" ", ""), claims };
}

/** Markers before what they support, at the start of a line. */
function leading(random: Random): Part {
  const { source, numbers } = marker(random);
  const text = `${random.pick(STATEMENTS)}.`;
  return {
    source: `${source}${random.pick([" ", ""])}${text}`,
    text,
    claims: [{ start: 0, end: text.length, numbers }],
  };
}

/** Markers on a line of their own support what is before them. */
function alone(random: Random): Part {
  const { source, numbers } = marker(random);
  const text = `${random.pick(STATEMENTS)}.`;
  const claims = [{ start: 0, end: text.length, numbers }];
  return { source: `${text}\n${source}`, text: `${text}\n`, claims };
}

/** One or more markers, of numbers that were mostly shown. */
function marker(random: Random): Marker {
  const number = () => (random.next() < 0.8 ? random.integer(1, 6) : random.pick([0, 7, 12, 99, 999]));
  const [first, second] = [number(), number()];
  const one = [first];
  const two = [first, second];
  return random.pick<Marker>([
    { source: `[${first}]`, numbers: one },
    { source: `[${first}]`, numbers: one },
    { source: `[${first}][${second}]`, numbers: two },
    { source: `[${first}] [${second}]`, numbers: two },
    { source: `[${first}, ${second}]`, numbers: two },
    { source: `[${first}; ${second}]`, numbers: two },
    { source: `[${first} and ${second}]`, numbers: two },
    { source: `[^${first}]`, numbers: one },
    { source: `[Passage ${first}]`, numbers: one },
    { source: `[source ${first}, source ${second}]`, numbers: two },
    { source: "[1-3]", numbers: [1, 2, 3] },
    { source: `【${first}】`, numbers: one },
    { source: `【${first}†lamp.md】`, numbers: one },
    { source: `[00${first % 10}]`, numbers: [first % 10] },
  ]);
}

function supported(text: string, { source, numbers }: Marker): Part {
  return { source: text + source, text, claims: [{ start: 0, end: text.length, numbers }] };
}

function plain(text: string): Part {
  return { source: text, text, claims: [] };
}

function join(parts: readonly (Part & { readonly isContinued?: boolean })[], separator: string): Part {
  let [source, text] = ["", ""];
  const claims: ExpectedClaim[] = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) {
      source += separator;
      text += separator;
    }
    // A second claim of a sentence begins with the word that joins them.
    const lead = part.isContinued ? "and ".length : 0;
    for (const { start, end, numbers } of part.claims)
      claims.push({ start: text.length + start - lead, end: text.length + end, numbers });
    source += part.source;
    text += part.text;
  }
  return { source, text, claims };
}
