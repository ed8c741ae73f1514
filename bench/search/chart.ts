import type { Figures } from "./compare.js";
import type { SearchFigures } from "./targets.js";

const WIDTH = 800;
const ROW = 20;
const BAR = 12;
const LABELS = 210;
const MAX_BAR = 330;
const GROUP = 46;

const STYLE = `
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 13px }
.note { fill: #59636e; font-size: 11px }
.peer { fill: #b6bfc8 }
.ours { fill: #1a7f64 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .note { fill: #9198a1 }
  .peer { fill: #4b5560 }
  .ours { fill: #3fb68f }
}`;

interface Bar {
  readonly label: string;
  readonly ms: number;
  readonly recall: number;
  readonly ours: boolean;
}

interface Group {
  readonly title: string;
  /** The label of the recall. */
  readonly recallLabel: string;
  readonly bars: readonly Bar[];
}

/** Draws medians as bars, each group with its own scale, for light and dark pages. */
export function chart(figures: SearchFigures, machine: string): string {
  const parts: string[] = [];
  let y = 8;
  for (const group of groupsOf(figures)) {
    parts.push(drawGroup(group, y));
    y += GROUP + group.bars.length * ROW;
  }
  parts.push(note(y + 8, `Median of one search, less is better. ${machine}`));
  parts.push(note(y + 24, "npm run bench -- search: one run, each system in its own process, searching in turns."));
  const height = y + 36;
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<title>Search in Lorebase and in other libraries: median time of one search</title>
<style>${STYLE}</style>
${parts.join("\n")}
</svg>
`;
}

function groupsOf({ vectors, keywords }: SearchFigures): readonly Group[] {
  return [
    ...vectors.map(({ rows, dimensions, figures }) => ({
      title: `Top 10 of ${count(rows)} vectors of ${dimensions} dimensions`,
      recallLabel: "recall",
      bars: barsOf(figures, "all", rows),
    })),
    ...vectors.slice(0, 1).map(({ rows, dimensions, figures }) => ({
      title: `The same with a filter that leaves 1 % of ${count(rows)} × ${dimensions}`,
      recallLabel: "recall",
      bars: barsOf(figures, "filtered", rows),
    })),
    ...(keywords
      ? [
          { set: "ofOneChunk", what: "three terms of one chunk" },
          { set: "ofAllFrequencies", what: "a common, a medium and a rare term" },
        ].map(({ set, what }) => ({
          title: `Keywords over ${count(keywords.rows)} chunks of 60 words: ${what}`,
          recallLabel: "of plain BM25’s ten",
          bars: barsOf(keywords.figures, set, keywords.rows),
        }))
      : []),
  ];
}

function barsOf(figures: readonly Figures[], set: string, rows: number): readonly Bar[] {
  return figures.map(({ name, label, rows: own, searches }) => ({
    label: own === rows ? label : `${label}, ${count(own)} only`,
    ms: searches[set]!.p50Ms,
    recall: searches[set]!.recall,
    ours: name.startsWith("lorebase"),
  }));
}

function drawGroup({ title, recallLabel, bars }: Group, top: number): string {
  const slowest = Math.max(...bars.map(({ ms }) => ms));
  const lines = [`<text class="title" x="0" y="${top + 14}">${escaped(title)}</text>`];
  for (const [index, { label, ms, recall, ours }] of bars.entries()) {
    const y = top + 26 + index * ROW;
    const width = Math.max(1, (ms / slowest) * MAX_BAR);
    const bar = `x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="${BAR}"`;
    const note = `<tspan class="note" dx="8">${recallLabel} ${recall.toFixed(3)}</tspan>`;
    lines.push(
      `<text x="${LABELS - 8}" y="${y + BAR - 2}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${ours ? "ours" : "peer"}" ${bar} rx="2"/>`,
      `<text x="${(LABELS + width + 8).toFixed(1)}" y="${y + BAR - 2}">${shown(ms)} ms${note}</text>`,
    );
  }
  return lines.join("\n");
}

function note(y: number, text: string): string {
  return `<text class="note" x="0" y="${y}">${escaped(text)}</text>`;
}

const count = (value: number) => value.toLocaleString("en");
const shown = (ms: number) => String(Number(ms.toPrecision(ms < 100 ? 2 : 3)));
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
