import type {
  DocumentExplanation,
  Filter,
  HitExplanation,
  KeywordEvidence,
  NamespaceHandle,
  SearchHit,
} from "../index.js";
import { DEFAULT_MODE } from "../validation/search-schema.js";
import type { Command, Invocation } from "./command.js";
import { parseChoice, parseCount, parseJsonObject } from "./flag-values.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { namingOthers } from "./missing-namespace.js";
import { parseRerankerFlags } from "./parse-reranker-flags.js";
import type { Terminal } from "./terminal.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";
import { getNamespaceHandle, parseNamespaceFlag } from "./with-namespace.js";

const MODES = ["semantic", "keyword", "hybrid"] as const;
const MAX_SNIPPET_CHARACTERS = 240;

export const searchCommand: Command = {
  name: "search",
  summary: "find passages",
  usage: "<query>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: [...NAMESPACE_FLAGS, "read-only", "mode", "top-k", "filter", "principal", "reranker", "explain"],
  async run(invocation) {
    const { operands, flags, terminal } = invocation;
    const query = operands.join(" ");
    return withSearch(invocation, async (handle, options) => {
      const hits = await handle.search(query, { ...options, explain: flags.explain });
      const passages = hits.map((hit, index) => describeHit(hit, index + 1, terminal));
      return {
        json: { namespace: parseNamespaceFlag(flags), query, mode: options.mode, hits },
        text: hits.length === 0 ? "nothing found" : passages.join("\n\n"),
      };
    });
  },
};

export const explainCommand: Command = {
  name: "explain",
  summary: "explain why a search finds a document or why not",
  usage: "<document> <query>",
  operands: { min: 2, max: Number.POSITIVE_INFINITY },
  flags: [...NAMESPACE_FLAGS, "read-only", "mode", "top-k", "filter", "principal", "reranker"],
  async run(invocation) {
    const [documentId, ...words] = invocation.operands;
    return withSearch(invocation, async (handle, options) => {
      const explanation = await handle.explain(words.join(" "), { ...options, documentId: documentId! });
      return { json: explanation, text: describeExplanation(explanation) };
    });
  },
};

type CommandSearchOptions = ReturnType<typeof parseSearchFlags>;

function parseSearchFlags({ flags, terminal }: Invocation) {
  return {
    mode: parseChoice("mode", flags.mode, MODES) ?? DEFAULT_MODE,
    topK: parseCount("top-k", flags["top-k"]) ?? 5,
    // The engine validates the filter.
    filter: parseJsonObject("filter", flags.filter) as Filter | undefined,
    ...(flags.principal && { principals: flags.principal }),
    signal: terminal.signal,
  };
}

/** Opens the existing namespace with the options that searches and answers share. */
export function withSearch<T>(
  invocation: Invocation,
  work: (handle: NamespaceHandle, options: CommandSearchOptions) => Promise<T>,
) {
  const { flags, terminal } = invocation;
  const options = parseSearchFlags(invocation);
  const ref = parseNamespaceFlag(flags);
  return withExistingKnowledgeBase(
    invocation,
    (kb) => namingOthers(kb, ref, () => work(getNamespaceHandle(kb, ref, flags.tenant), options)),
    parseRerankerFlags(flags, terminal),
  );
}

export function describeHit(hit: SearchHit, rank: number, terminal: Terminal): string {
  const score = hit.rerankScore ?? hit.score;
  const head = `${rank}. ${terminal.style("dim", score.toFixed(3))}  ${describeOrigin(hit, terminal)}`;
  const stages = hit.explanation ? `\n   ${terminal.style("dim", describeStages(hit.explanation))}` : "";
  return `${head}\n   ${formatSnippet(hit.text ?? "")}${stages}`;
}

/** Says where a passage comes from: its file, its pages and its headings. */
export function describeOrigin({ metadata, pages }: Pick<SearchHit, "metadata" | "pages">, terminal: Terminal): string {
  const { filename, headings } = metadata ?? {};
  const [first, last] = pages ?? [];
  return [
    terminal.style("bold", String(filename ?? "text")),
    ...(first === undefined ? [] : [first === last ? `page ${first}` : `pages ${first}–${last}`]),
    ...(Array.isArray(headings) && headings.length > 0 ? [headings.join(" › ")] : []),
  ].join(" · ");
}

export function formatSnippet(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= MAX_SNIPPET_CHARACTERS) return line;
  return `${line.slice(0, line.lastIndexOf(" ", MAX_SNIPPET_CHARACTERS))} …`;
}

function describeExplanation(explanation: DocumentExplanation): string {
  if (explanation.outcome === "lost") return `lost at ${explanation.stage}: ${explanation.reason}`;
  return explanation.hits
    .map(({ id, rank, explanation }) => `rank ${rank}: ${id}\n   ${describeStages(explanation)}`)
    .join("\n");
}

/** Formats the rank and score of a passage at each stage of a search, on one line. */
function describeStages({ keyword, semantic, fusion, boost, diversity, rerank }: HitExplanation): string {
  const stages = [
    keyword && `keyword ${formatRankAndScore(keyword)}, ${describeBm25(keyword)}`,
    semantic && `semantic ${formatRankAndScore(semantic)}, cosine ${semantic.similarity.toFixed(3)}`,
    fusion && `fusion (${fusion.method}) ${formatRankAndScore(fusion)}`,
    boost && `boost ×${boost.factor.toFixed(3)} ${formatRankAndScore(boost)}`,
    diversity && `diversity #${diversity.rank} similarity ${diversity.similarity.toFixed(3)}`,
    rerank && `${rerank.model} ${formatRankAndScore(rerank)}`,
  ];
  return stages.filter((stage) => stage !== undefined).join(" · ");
}

function formatRankAndScore({ rank, score }: { readonly rank: number; readonly score: number | null }): string {
  return score === null ? "not scored" : `#${rank} ${score.toFixed(3)}`;
}

function describeBm25({ bm25, ceiling, termsMissing, similarWords = [] }: KeywordEvidence): string {
  const missing = termsMissing.length === 0 ? "" : `, without ${termsMissing.join(" ")}`;
  const similar = similarWords.map(({ term, words }) => `, ${words.join(" or ")} for ${term}`).join("");
  return `BM25 ${bm25.toFixed(2)} of ${ceiling.toFixed(2)}${missing}${similar}`;
}
