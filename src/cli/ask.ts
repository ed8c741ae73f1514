import { type Answer, type Citation, formatCitation } from "../index.js";
import type { Command } from "./command.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { describeHit, withSearch } from "./search.js";
import type { Terminal } from "./terminal.js";
import { parseNamespaceFlag } from "./with-namespace.js";

const MAX_CLOSEST = 3;

export const askCommand: Command = {
  name: "ask",
  summary: "answer a question with quotes from the documents",
  usage: "<question>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: [...NAMESPACE_FLAGS, "mode", "top-k", "filter", "reranker"],
  async run(invocation) {
    const { operands, flags, terminal } = invocation;
    const question = operands.join(" ");
    return withSearch(invocation, async (handle, { topK, ...options }) => {
      const answer = await handle.ask(question, { ...options, ...(flags["top-k"] && { topK }) });
      return {
        json: { namespace: parseNamespaceFlag(flags), question, ...answer },
        text: answer.isAnswered ? answerText(answer, terminal) : closestText(answer, terminal),
      };
    });
  },
};

/** The quotes with the numbers of their passages, and below them where each passage is from. */
function answerText({ citations, passages }: Answer, terminal: Terminal): string {
  const quotes = citations.map(({ quote, number }) => `${quote} ${terminal.style("dim", `[${number}]`)}`);
  const sources = new Map(citations.toReversed().map((citation) => [citation.number, citation]));
  const lines = [...sources.values()].toReversed().map((citation) => {
    const passage = passages.find(({ id }) => id === citation.chunkId);
    return terminal.style("dim", `[${citation.number}] ${originOf(citation, passage?.metadata)}`);
  });
  return [...quotes, lines.join("\n")].join("\n\n");
}

function originOf({ chunkId, page }: Citation, metadata: Answer["passages"][number]["metadata"]): string {
  return formatCitation({ id: chunkId, metadata, pages: page === undefined ? undefined : [page, page] });
}

function closestText({ text, passages }: Answer, terminal: Terminal): string {
  const closest = passages.slice(0, MAX_CLOSEST).map((hit, index) => describeHit(hit, index + 1, terminal));
  return closest.length === 0 ? text : [`${text} The closest passages:`, ...closest].join("\n\n");
}
