/** A block of a generated Markdown file; only paragraphs are edited. */
interface MarkdownBlock {
  readonly kind: "paragraph" | "list" | "table" | "code";
  readonly text: string;
}

/** A heading and what stands below it up to the next one. */
interface MarkdownSection {
  readonly level: number;
  readonly title: string;
  readonly blocks: readonly MarkdownBlock[];
}

export type MarkdownFile = readonly MarkdownSection[];

const SYLLABLES = "ba be co da di fe ga hu ka la lo mi na no pa qui ra re si ta te to va ver zo shi en or al in".split(
  " ",
);
const FUNCTION_WORDS =
  "the of and to in is that for with as on are by this be from at or which have not but were when one each".split(" ");

/** Numbers from 0 to 1 that look random and are the same for the same seed. */
type Chance = () => number;

function between(chance: Chance, low: number, high: number): number {
  return low + Math.floor(chance() * (high - low + 1));
}

function word(chance: Chance): string {
  if (chance() < 0.4) return FUNCTION_WORDS[between(chance, 0, FUNCTION_WORDS.length - 1)]!;
  return Array.from({ length: between(chance, 1, 4) }, () => SYLLABLES[between(chance, 0, SYLLABLES.length - 1)]).join(
    "",
  );
}

function words(chance: Chance, low: number, high: number): string {
  return Array.from({ length: between(chance, low, high) }, () => word(chance)).join(" ");
}

/** One to nine sentences, most often three or four, some of them long. */
function makeParagraph(chance: Chance): MarkdownBlock {
  const sentences = 1 + Math.floor(chance() * chance() * 9);
  const text = Array.from({ length: sentences }, () => {
    const sentence = words(chance, 5, chance() < 0.15 ? 45 : 20);
    return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`;
  });
  return { kind: "paragraph", text: text.join(" ") };
}

function makeBlock(chance: Chance): MarkdownBlock {
  const kind = chance();
  if (kind < 0.7) return makeParagraph(chance);
  const lines = (low: number, high: number, line: () => string) =>
    Array.from({ length: between(chance, low, high) }, line).join("\n");
  if (kind < 0.87) return { kind: "list", text: lines(2, 9, () => `- ${words(chance, 3, 18)}`) };
  if (kind < 0.95) {
    const row = () => `| ${words(chance, 1, 3)} | ${words(chance, 1, 5)} | ${between(chance, 1, 999)} |`;
    return { kind: "table", text: `| Name | Meaning | Count |\n| --- | --- | --- |\n${lines(2, 20, row)}` };
  }
  return { kind: "code", text: `\`\`\`\n${lines(2, 25, () => words(chance, 2, 8))}\n\`\`\`` };
}

/**
 * A file as people write them: a title, 2 to 40 sections under headings of three levels, most of them short and some without anything below
 * their heading, with paragraphs, lists, tables and code.
 */
export function makeMarkdown(chance: Chance): MarkdownFile {
  const section = (level: number): MarkdownSection => ({
    level,
    title: words(chance, 1, 6),
    blocks: Array.from({ length: Math.floor(chance() * chance() * 10) + (chance() < 0.9 ? 1 : 0) }, () =>
      makeBlock(chance),
    ),
  });
  const sections = Array.from({ length: 2 + Math.floor(chance() * chance() * 39) }, (_, index) => {
    return section(index === 0 || chance() < 0.5 ? 2 : chance() < 0.75 ? 3 : 4);
  });
  const title = section(1);
  return [{ ...title, blocks: [makeParagraph(chance), ...title.blocks] }, ...sections];
}

export function renderMarkdown(file: MarkdownFile): string {
  const parts = file.flatMap(({ level, title, blocks }) => [
    `${"#".repeat(level)} ${title}`,
    ...blocks.map(({ text }) => text),
  ]);
  return `${parts.join("\n\n")}\n`;
}

export const EDITS = ["rewrite", "insert", "delete", "lengthen"] as const;

/** A file with one paragraph changed in one of four ways, and the place of its section. */
export function editMarkdown(
  file: MarkdownFile,
  chance: Chance,
): { readonly file: MarkdownFile; readonly section: number; readonly edit: (typeof EDITS)[number] } {
  const places = file.flatMap(({ blocks }, section) =>
    blocks.flatMap(({ kind }, block) => (kind === "paragraph" ? [{ section, block }] : [])),
  );
  const { section, block } = places[between(chance, 0, places.length - 1)]!;
  const edit = EDITS[between(chance, 0, EDITS.length - 1)]!;
  const blocks = [...file[section]!.blocks];
  const old = blocks[block]!;
  if (edit === "delete") blocks.splice(block, 1);
  else if (edit === "insert") blocks.splice(block, 0, makeParagraph(chance));
  else if (edit === "rewrite") blocks[block] = makeParagraph(chance);
  else blocks[block] = { kind: "paragraph", text: `${old.text} ${makeParagraph(chance).text}` };
  return { file: file.with(section, { ...file[section]!, blocks }), section, edit };
}
