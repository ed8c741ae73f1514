import { storedChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { ModelTool, ToolCall } from "../interfaces/language-model.js";
import type { SearchOptions } from "../search/search.js";
import type { SearchTarget } from "../search/sources.js";
import { toPassageHits } from "../search/to-hits.js";
import { parseInput } from "../validation/parse-input.js";
import { z } from "../vendor/zod.js";
import { type FoundPassage, findPassages } from "./find-passages.js";
import { passageTexts } from "./passage-texts.js";
import type { ShownPassages } from "./shown-passages.js";

/** Calls for one answer; further ones have no result. */
const MAX_CALLS = 10;
const MAX_NEIGHBOURS = 5;

const INPUTS = {
  search: z.strictObject({
    query: z.string().min(1).max(1000).describe("What to search for, in the language of the documents"),
    mode: z
      .enum(["semantic", "keyword", "hybrid"])
      .optional()
      .describe("By meaning, by words, or by both (the default)"),
  }),
  expand: z.strictObject({
    passage: z.int().min(1).describe("The number of the passage"),
    before: z.int().min(0).max(MAX_NEIGHBOURS).default(1).describe("How many passages before it to show"),
    after: z.int().min(0).max(MAX_NEIGHBOURS).default(1).describe("How many passages after it to show"),
  }),
} as const;

const DESCRIPTIONS: Readonly<Record<keyof typeof INPUTS, string>> = {
  search: "Searches the documents and shows the passages that fit the query best.",
  expand: "Shows the passages before and after one that was shown, from the same document.",
};

/** The tools of an agentic answer. None takes a namespace, a tenant or a filter. */
export const RETRIEVAL_TOOLS: readonly ModelTool[] = Object.entries(INPUTS).map(([name, input]) => ({
  name,
  description: DESCRIPTIONS[name as keyof typeof INPUTS],
  inputSchema: z.toJSONSchema(input, { io: "input" }),
}));

/** What a call of a tool has done. */
export interface ToolResult<M> {
  /** For the model. */
  readonly content: string;
  /** The query of a search. */
  readonly query?: string;
  readonly found: readonly FoundPassage<M>[];
}

/** Runs the calls of tools for one answer, in the scope and with the filter of its question. */
export class RetrievalTools<M> {
  readonly #engine: Engine;
  readonly #target: SearchTarget;
  readonly #search: SearchOptions<M>;
  readonly #shown: ShownPassages<M>;
  #calls = 0;

  constructor(engine: Engine, target: SearchTarget, search: SearchOptions<M>, shown: ShownPassages<M>) {
    this.#engine = engine;
    this.#target = target;
    this.#search = search;
    this.#shown = shown;
  }

  /** An unknown tool, an invalid input and too many calls have a result that says so. */
  async run({ name, input }: ToolCall): Promise<ToolResult<M>> {
    if (++this.#calls > MAX_CALLS) return failure("No further calls are possible. Answer from the passages.");
    try {
      if (name === "search") return await this.#runSearch(parseInput(INPUTS.search, input));
      if (name === "expand") return await this.#runExpand(parseInput(INPUTS.expand, input));
    } catch (error) {
      if (KnowledgeBaseError.is(error) && error.code === "invalid_input") return failure(error.message);
      throw error;
    }
    return failure(`There is no tool ${JSON.stringify(name)}.`);
  }

  async #runSearch({ query, mode = this.#search.mode }: z.output<typeof INPUTS.search>): Promise<ToolResult<M>> {
    const found = await findPassages<M>(this.#engine, this.#target, query, { ...this.#search, mode });
    return { content: this.#show(found, "Nothing was found."), query, found };
  }

  async #runExpand({ passage, before, after }: z.output<typeof INPUTS.expand>): Promise<ToolResult<M>> {
    const stored = this.#shown.get(passage)?.stored;
    if (!stored) return failure(`There is no passage ${passage}.`);
    const { documentId, generation, ordinal } = stored;
    const ids: string[] = [];
    for (let at = Math.max(0, ordinal - before); at <= ordinal + after; at++)
      if (at !== ordinal) ids.push(storedChunkId(documentId, generation, at));
    const { scope } = this.#target;
    const { signal } = this.#search;
    const { passages } = await this.#engine.storage.index.livePassages({ scope, ids }, { signal });
    const texts = (await passageTexts(this.#engine, scope, passages, { signal })) ?? [];
    const hits = toPassageHits<M>(scope, passages);
    const found = texts.map((text, index) => ({ hit: hits[index]!, stored: passages[index]!, text }));
    return { content: this.#show(found, "There are no such passages."), found };
  }

  #show(found: readonly FoundPassage<M>[], nothing: string): string {
    if (found.length === 0) return nothing;
    return this.#shown.show(found) || "There is no room for further passages. Answer from those that were shown.";
  }
}

function failure(content: string): ToolResult<never> {
  return { content, found: [] };
}
