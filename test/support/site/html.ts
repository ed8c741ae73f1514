const SUBJECTS = [
  "The workshop",
  "Our archive",
  "A careful reader",
  "The old harbour",
  "Every apprentice",
  "The committee",
];
const VERBS = ["keeps", "describes", "repairs", "measures", "remembers", "compares"];
const OBJECTS = [
  "brass instruments",
  "winter timetables",
  "glass negatives",
  "river maps",
  "loom patterns",
  "seed lists",
];

export interface HtmlPage {
  readonly title: string;
  /** Addresses, as they stand in the page. */
  readonly links?: readonly string[];
  /** Markup within the head. */
  readonly head?: string;
  /** Markup before the links. */
  readonly body?: string;
  readonly language?: string;
}

/** A page with a menu, an article of its own words, links and a footer. */
export function html({ title, links = [], head = "", body = prose(title), language = "en" }: HtmlPage): string {
  const list = links.map((link, index) => `<li><a href="${link}">Entry ${index + 1}</a></li>`).join("\n");
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>${head}</head>
<body><header><nav><a href="/">Home</a> <a href="/guide/">Guide</a> <a href="/blog/">Blog</a> <a href="#top">Top</a></nav></header>
<main><article><h1>${title}</h1>${body}<ul>${list}</ul></article></main>
<footer><a href="mailto:desk@example.com">Write to us</a> <a href="javascript:void 0">Print</a> The harbour museum</footer></body></html>`;
}

/** A few sentences that no other title has. */
export function prose(title: string): string {
  const seed = [...title].reduce((sum, char) => (sum * 31 + char.codePointAt(0)!) >>> 0, 7);
  const pick = (words: readonly string[], shift: number) => words[(seed >>> shift) % words.length]!;
  const sentences = [0, 3, 6, 9].map((shift, index) => {
    return `${pick(SUBJECTS, shift)} ${pick(VERBS, shift + 2)} ${pick(OBJECTS, shift + 4)} of ${title}, part ${index + 1}.`;
  });
  return `<p>${sentences.join(" ")}</p>`;
}
