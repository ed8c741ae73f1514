import { type Answer, type Citation, formatAnswer, formatCitation } from "../index.js";
import type { Command } from "./command.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { describeHit, withSearch } from "./search.js";
import type { Terminal } from "./terminal.js";
import { parseNamespaceFlag } from "./with-namespace.js";

const MAX_CLOSEST_PASSAGES = 3;

export const askCommand: Command = {
  name: "ask",
  summary: "answer a question from the documents, with citations",
  details: [
    "Without an answer it prints the closest passages and still exits with 0: the question was",
    "asked. In scripts, read isAnswered from the output of --json.",
  ].join("\n"),
  usage: "<question>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: [...NAMESPACE_FLAGS, "read-only", "mode", "top-k", "filter", "principal", "reranker"],
  async run(invocation) {
    const { operands, flags, terminal } = invocation;
    const question = operands.join(" ");
    return withSearch(invocation, async (handle, { topK, mode: searchMode, ...options }) => {
      const answer = await handle.ask(question, { ...options, searchMode, ...(flags["top-k"] && { topK }) });
      return {
        json: { namespace: parseNamespaceFlag(flags), question, ...answer },
        text: [
          formatAnswerWithSources(answer, terminal),
          ...(answer.isAnswered ? [] : formatClosestPassages(answer, terminal)),
        ].join("\n\n"),
      };
    });
  },
};

/** Formats the answer with citation numbers, followed by the source of each cited passage. */
function formatAnswerWithSources(answer: Answer, terminal: Terminal): string {
  const { citations, passages } = answer;
  const citationsByNumber = new Map(citations.toReversed().map((citation) => [citation.number, citation]));
  const sourceLines = [...citationsByNumber.values()].toReversed().map((citation) => {
    const passage = passages.find(({ id }) => id === citation.chunkId);
    return terminal.style("dim", `[${citation.number}] ${formatSource(citation, passage?.metadata)}`);
  });
  const text = formatAnswer(answer, (number) => terminal.style("dim", `[${number}]`)).trim();
  return [text, ...(sourceLines.length > 0 ? [sourceLines.join("\n")] : [])].join("\n\n");
}

function formatSource({ chunkId, page, cells }: Citation, metadata: Answer["passages"][number]["metadata"]): string {
  return formatCitation({ id: chunkId, metadata, pages: page === undefined ? undefined : [page, page], cells });
}

function formatClosestPassages({ passages }: Answer, terminal: Terminal): readonly string[] {
  const closest = passages.slice(0, MAX_CLOSEST_PASSAGES).map((hit, index) => describeHit(hit, index + 1, terminal));
  return closest.length === 0 ? [] : ["The closest passages:", ...closest];
}
