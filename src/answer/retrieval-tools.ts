import { storedChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { ModelTool, ToolCall } from "../interfaces/language-model.js";
import type { SearchOptions } from "../search/search.js";
import type { SearchTarget } from "../search/sources.js";
import { toPassageHits } from "../search/to-hits.js";
import { parseInput } from "../validation/parse-input.js";
import { z } from "../vendor/zod.js";
import { type FoundPassage, findPassages, withTexts } from "./find-passages.js";
import { readPassageTexts } from "./passage-texts.js";
import type { ShownPassages } from "./shown-passages.js";

/** The maximum number of tool calls for one answer. Further calls get an error as their result. */
const MAX_CALLS = 10;
const MAX_NEIGHBOURS = 5;

const INPUT_SCHEMAS = {
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

const DESCRIPTIONS: Readonly<Record<keyof typeof INPUT_SCHEMAS, string>> = {
  search: "Searches the documents and shows the passages that fit the query best.",
  expand: "Shows the passages before and after one that was shown, from the same document.",
};

/** The tools of an agentic answer. Their inputs have no namespace, tenant or filter. */
export const RETRIEVAL_TOOLS: readonly ModelTool[] = Object.entries(INPUT_SCHEMAS).map(([name, input]) => ({
  name,
  description: DESCRIPTIONS[name as keyof typeof INPUT_SCHEMAS],
  inputSchema: z.toJSONSchema(input, { io: "input" }),
}));

/** The result of one tool call. */
export interface ToolResult<M> {
  /** The text for the model. */
  readonly content: string;
  /** The query, if the tool searched. */
  readonly query?: string;
  readonly found: readonly FoundPassage<M>[];
}

/** Runs the tool calls of one answer, in the scope and with the filter of the question. */
export class RetrievalTools<M> {
  readonly #engine: Engine;
  readonly #target: SearchTarget;
  readonly #search: SearchOptions<M>;
  readonly #shown: ShownPassages<M>;
  #callCount = 0;

  constructor(engine: Engine, target: SearchTarget, search: SearchOptions<M>, shown: ShownPassages<M>) {
    this.#engine = engine;
    this.#target = target;
    this.#search = search;
    this.#shown = shown;
  }

  /** Runs a tool call. If the tool is unknown, its input invalid or the limit reached, the result says so. */
  async run({ name, input }: ToolCall): Promise<ToolResult<M>> {
    if (++this.#callCount > MAX_CALLS) return failure("No further calls are possible. Answer from the passages.");
    try {
      if (name === "search") return await this.#runSearch(parseInput(INPUT_SCHEMAS.search, input));
      if (name === "expand") return await this.#runExpand(parseInput(INPUT_SCHEMAS.expand, input));
    } catch (error) {
      if (KnowledgeBaseError.is(error) && error.code === "invalid_input") return failure(error.message);
      throw error;
    }
    return failure(`There is no tool ${JSON.stringify(name)}.`);
  }

  async #runSearch({ query, mode = this.#search.mode }: z.output<typeof INPUT_SCHEMAS.search>): Promise<ToolResult<M>> {
    const found = await findPassages<M>(this.#engine, this.#target, query, { ...this.#search, mode });
    return { content: this.#show(found, "Nothing was found."), query, found };
  }

  async #runExpand({ passage, before, after }: z.output<typeof INPUT_SCHEMAS.expand>): Promise<ToolResult<M>> {
    const stored = this.#shown.get(passage)?.stored;
    if (!stored) return failure(`There is no passage ${passage}.`);
    const { documentId, generation, ordinal } = stored;
    const ids: string[] = [];
    for (let neighbour = Math.max(0, ordinal - before); neighbour <= ordinal + after; neighbour++)
      if (neighbour !== ordinal) ids.push(storedChunkId(documentId, generation, neighbour));
    const { scope } = this.#target;
    const { signal } = this.#search;
    const live = await this.#engine.storage.index.livePassages({ scope, ids }, { signal });
    const passages = live.passages.filter(({ isDamaged }) => !isDamaged);
    const texts = (await readPassageTexts(this.#engine, scope, passages, { signal })) ?? [];
    const found = withTexts(toPassageHits<M>(scope, passages), passages, texts);
    return { content: this.#show(found, "There are no such passages."), found };
  }

  #show(found: readonly FoundPassage<M>[], textIfEmpty: string): string {
    if (found.length === 0) return textIfEmpty;
    return this.#shown.show(found) || "There is no room for further passages. Answer from those that were shown.";
  }
}

function failure(content: string): ToolResult<never> {
  return { content, found: [] };
}
