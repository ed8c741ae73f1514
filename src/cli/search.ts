import type { Filter, SearchHit } from "../index.js";
import { DEFAULT_MODE } from "../validation/schemas.js";
import type { Command } from "./command.js";
import { choiceOf, countOf, existingDirectoryOf, objectOf } from "./flag-values.js";
import { rerankingOf } from "./parse-reranker-flags.js";
import { createProgress } from "./progress.js";
import { stagesOf } from "./stages.js";
import type { Terminal } from "./terminal.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

const MODES = ["semantic", "keyword", "hybrid"] as const;
const SNIPPET = 240;

/** `lorebase search`: the best passages for a query, with file, page and heading. */
export const searchCommand: Command = {
  name: "search",
  summary: "find passages",
  usage: "<query>",
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  flags: ["directory", "namespace", "tenant", "mode", "top-k", "filter", "reranker", "explain"],
  async run({ operands, flags, terminal }) {
    const mode = choiceOf("mode", flags.mode, MODES) ?? DEFAULT_MODE;
    const topK = countOf("top-k", flags["top-k"]) ?? 5;
    // What stands in it is the engine's to check.
    const filter = objectOf("filter", flags.filter) as Filter | undefined;
    const query = operands.join(" ");
    const namespace = flags.namespace ?? "default";
    const directory = existingDirectoryOf(flags, terminal);
    // Searching alone needs no worker: it would take up jobs that another process left behind.
    const options = { directory, worker: false, ...rerankingOf(flags, terminal) } as const;
    return withKnowledgeBase(options, terminal, createProgress(terminal), async (kb) => {
      const whole = kb.namespace(namespace);
      const handle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      const hits = await handle.search(query, { mode, topK, filter, explain: flags.explain, signal: terminal.signal });
      return {
        json: { namespace, query, mode, hits },
        text:
          hits.length === 0
            ? "nothing found"
            : hits.map((hit, index) => passage(hit, index + 1, terminal)).join("\n\n"),
      };
    });
  },
};

function passage(hit: SearchHit, rank: number, terminal: Terminal): string {
  const { filename, headings } = hit.metadata ?? {};
  const [first, last] = hit.pages ?? [];
  const place = [
    terminal.style("bold", String(filename ?? "text")),
    ...(first === undefined ? [] : [first === last ? `page ${first}` : `pages ${first}–${last}`]),
    ...(Array.isArray(headings) && headings.length > 0 ? [headings.join(" › ")] : []),
  ];
  const score = hit.rerankScore ?? hit.score;
  const head = `${rank}. ${terminal.style("dim", score.toFixed(3))}  ${place.join(" · ")}`;
  const stages = hit.explanation ? `\n   ${terminal.style("dim", stagesOf(hit.explanation))}` : "";
  return `${head}\n   ${snippet(hit.text ?? "")}${stages}`;
}

function snippet(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SNIPPET ? line : `${line.slice(0, line.lastIndexOf(" ", SNIPPET))} …`;
}
