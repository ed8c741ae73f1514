import { type IngestConfig, KnowledgeBase, type SearchHit } from "lorebase";
import { seededRandom } from "./random.js";
import { type CorpusOptions, makeTableCorpus, type TableQuestion } from "./table-corpus.js";

export interface TableCampaignOptions extends CorpusOptions {
  readonly seed: number;
  readonly embeddingConfig: { readonly provider: string };
  readonly ingest?: IngestConfig;
}

export interface TableOutcome {
  readonly questions: number;
  readonly chunks: number;
  /** Questions whose first hit contains the row that answers them, and the column's name. */
  readonly found: number;
  /** Of those, the ones in which no other row of the hit has as many of the question's words. */
  readonly cited: number;
  /** Of those, the ones whose highlights have the row's own box; all that are not in a PDF count. */
  readonly placed: number;
  /** What was asked in vain, with the first line of the hit that has the most words. */
  readonly missed: readonly string[];
}

/** Asks for cells of large tables, and looks whether the right row is cited first. */
export async function runTableCampaign(options: TableCampaignOptions): Promise<TableOutcome> {
  const { files, questions } = await makeTableCorpus(seededRandom(options.seed), options);
  const kb = new KnowledgeBase({ directory: ":memory:", defaultEmbedding: options.embeddingConfig });
  try {
    const { id } = await kb.namespaces.create({ name: "Tables", slug: "tables" });
    const handle = kb.namespace(id);
    let chunks = 0;
    for (const { name, bytes } of files) {
      const job = await handle.ingest({ file: { name, body: Buffer.from(bytes) } }, options.ingest).done();
      if (job.status !== "COMPLETED") throw new Error(`${name}: ${job.status}: ${job.error}`);
      chunks += job.counts.chunks;
    }
    let [found, cited, placed] = [0, 0, 0];
    const missed: string[] = [];
    for (const question of questions) {
      const [hit] = await handle.search(question.text, { mode: "hybrid", topK: 5, includeHighlights: true });
      const row = hit === undefined ? undefined : bestRow(hit);
      const isFound =
        hit?.text.includes(question.column) === true && hit.text.split("\n").some((line) => isRow(line, question));
      const isCited = isFound && row !== undefined && isRow(row.line, question);
      const isPlaced = isCited && hasPlace(row.highlights, question);
      found += Number(isFound);
      cited += Number(isCited);
      placed += Number(isPlaced);
      if (!isPlaced)
        missed.push(`${question.text} [${question.row.join(" ")}] → ${row?.line ?? hit?.text.slice(0, 80)}`);
    }
    return { questions: questions.length, chunks, found, cited, placed, missed };
  } finally {
    await kb.close();
  }
}

type Highlights = NonNullable<SearchHit["highlights"]>;

/** Returns the line of a hit with the most different highlighted words. */
function bestRow({ text, highlights = [] }: SearchHit): { line: string; highlights: Highlights } {
  let best = { line: "", highlights: [] as Highlights, words: 0 };
  let start = 0;
  for (const line of text.split("\n")) {
    const own = highlights.filter((range) => range.start >= start && range.end <= start + line.length);
    const words = new Set(own.map((range) => text.slice(range.start, range.end).toLowerCase())).size;
    if (words > best.words) best = { line, highlights: own, words };
    start += line.length + 1;
  }
  return best;
}

function isRow(line: string, { row }: TableQuestion): boolean {
  const cells = line.split("|").map((cell) => cell.trim());
  return row.every((cell) => cells.includes(cell));
}

function hasPlace(highlights: Highlights, { place }: TableQuestion): boolean {
  if (place === undefined) return true;
  return highlights.every(({ boxes = [] }) => {
    const [only] = boxes;
    if (only === undefined || boxes.length > 1 || only.page !== place.page) return false;
    return only.bbox[1] >= place.top - 3 && only.bbox[3] <= place.bottom + 3;
  });
}
