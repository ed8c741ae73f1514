import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { parseXml } from "#dist/parsers/shared/xml/parse-xml.js";
import { child, childElements, descendants, textContent, type XmlElement } from "#dist/parsers/shared/xml/xml-tree.js";
import { collapseWhitespace } from "#dist/util/collapse-whitespace.js";

// Makes collections in the BEIR layout of help pages in several languages (Mallard, projectmallard.org), for `npm run eval`:
// npm run collections:help -- --out DIR DIRECTORY … Debian's gnome-user-docs has a directory for each language. The questions
// of `titles` are the pages' titles, and those of `descriptions` their descriptions. The searched text has neither.
const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } });

interface HelpPage {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

const EXTENSION = ".page";
const MIN_TEXT_LENGTH = 200;
const TEXT_ELEMENTS: ReadonlySet<string> = new Set(["p", "title", "td"]);

async function readPages(directory: string): Promise<readonly HelpPage[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(EXTENSION)).sort();
  const pages = await Promise.all(
    names.map(async (name) => {
      const root = parseXml(name, await readFile(join(directory, name), "utf8"));
      return toPage(name.slice(0, -EXTENSION.length), root);
    }),
  );
  return pages.filter(({ title, text }) => title !== "" && text.length >= MIN_TEXT_LENGTH);
}

function toPage(id: string, root: XmlElement): HelpPage {
  const body = childElements(root).filter(({ name }) => name !== "info" && name !== "title");
  const texts = body
    .flatMap((element) => [element, ...descendants(element)])
    .filter(({ name }) => TEXT_ELEMENTS.has(name))
    .map(plainText);
  return {
    id,
    title: plainText(child(root, "title")),
    description: plainText(child(root, "info", "desc")),
    text: texts.filter((text) => text !== "").join("\n\n"),
  };
}

function plainText(element: XmlElement | undefined): string {
  return collapseWhitespace(textContent(element));
}

async function writeCollection(
  directory: string,
  pages: readonly HelpPage[],
  question: (page: HelpPage) => string,
): Promise<void> {
  const asked = pages.filter((page) => question(page) !== "");
  const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "corpus.jsonl"), lines(pages.map(({ id, text }) => ({ _id: id, title: "", text }))));
  await writeFile(
    join(directory, "queries.jsonl"),
    lines(asked.map((page) => ({ _id: page.id, text: question(page) }))),
  );
  const judgements = asked.map(({ id }) => `${id}\t${id}\t1\n`).join("");
  await writeFile(join(directory, "qrels.tsv"), `query-id\tcorpus-id\tscore\n${judgements}`);
  console.log(`${directory}: ${pages.length} pages, ${asked.length} questions`);
}

if (values.out === undefined || positionals.length === 0)
  throw new Error("Usage: npm run collections:help -- --out DIR DIRECTORY …");
for (const directory of positionals) {
  const pages = await readPages(directory);
  const name = resolve(directory).split(sep).slice(-2).join("-");
  await writeCollection(join(values.out, `${name}-titles`), pages, ({ title }) => title);
  await writeCollection(join(values.out, `${name}-descriptions`), pages, ({ description }) => description);
}
