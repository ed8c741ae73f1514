import type { DocumentExplanation, Filter } from "../index.js";
import { DEFAULT_MODE } from "../validation/schemas.js";
import type { Command } from "./command.js";
import { choiceOf, countOf, existingDirectoryOf, objectOf } from "./flag-values.js";
import { rerankingOf } from "./parse-reranker-flags.js";
import { createProgress } from "./progress.js";
import { stagesOf } from "./stages.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

const MODES = ["semantic", "keyword", "hybrid"] as const;

/** `lorebase explain`: where a search that should find a document has lost it. */
export const explainCommand: Command = {
  name: "explain",
  summary: "say why a search finds a document, or not",
  usage: "<document> <query>",
  operands: { min: 2, max: Number.POSITIVE_INFINITY },
  flags: ["directory", "namespace", "tenant", "mode", "top-k", "filter", "reranker"],
  async run({ operands: [documentId, ...words], flags, terminal }) {
    const mode = choiceOf("mode", flags.mode, MODES) ?? DEFAULT_MODE;
    const topK = countOf("top-k", flags["top-k"]) ?? 5;
    // What stands in it is the engine's to check.
    const filter = objectOf("filter", flags.filter) as Filter | undefined;
    const directory = existingDirectoryOf(flags, terminal);
    const options = { directory, worker: false, ...rerankingOf(flags, terminal) } as const;
    return withKnowledgeBase(options, terminal, createProgress(terminal), async (kb) => {
      const whole = kb.namespace(flags.namespace ?? "default");
      const handle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      const search = { documentId: documentId!, mode, topK, filter, signal: terminal.signal };
      const explanation = await handle.explain(words.join(" "), search);
      return { json: explanation, text: sentences(explanation) };
    });
  },
};

function sentences(explanation: DocumentExplanation): string {
  if (explanation.outcome === "lost") return `lost at ${explanation.stage}: ${explanation.reason}`;
  return explanation.hits
    .map(({ id, rank, explanation }) => `returned as number ${rank}: ${id}\n   ${stagesOf(explanation)}`)
    .join("\n");
}
