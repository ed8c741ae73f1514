import type { z } from "../vendor/zod.js";
import { type AgentTool, ask, listDocuments, readDocument, type SearchedNamespace, search } from "./agent-tools.js";

/** A tool of the AI SDK, version 5, 6 or 7. */
export interface AiSdkTool<Input extends z.ZodType, Output> {
  readonly description: string;
  readonly inputSchema: Input;
  execute(input: z.output<Input>, call: { readonly abortSignal?: AbortSignal | undefined }): Promise<Output>;
}

/** The AI SDK's form of a tool for agents. */
type ToolOf<Tool> = Tool extends AgentTool<infer Input, infer Output> ? AiSdkTool<Input, z.output<Output>> : never;

/**
 * The tools of a namespace. A type, since an interface can't be assigned to a `ToolSet`, which has an index signature.
 */
export type NamespaceTools = {
  readonly search: ToolOf<typeof search>;
  readonly ask: ToolOf<typeof ask>;
  readonly readDocument: ToolOf<typeof readDocument>;
  readonly listDocuments: ToolOf<typeof listDocuments>;
};

/**
 * Returns read-only tools of the AI SDK over a namespace, or one tenant of it: `search`, `ask`, `readDocument` and
 * `listDocuments`. Their results have citations. No input can select another namespace or tenant; a handle without a
 * tenant sees the default partition. Tools throw the errors of the handle, which the AI SDK reports to the model.
 *
 * @example
 * const request = { model: "openai/gpt-5", tools: tools(handbook), prompt: "When is the lamp lit?" };
 * // const { text } = await generateText(request);
 */
export function tools(handle: SearchedNamespace): NamespaceTools {
  return {
    search: toAiSdkTool(search, handle),
    ask: toAiSdkTool(ask, handle),
    readDocument: toAiSdkTool(readDocument, handle),
    listDocuments: toAiSdkTool(listDocuments, handle),
  };
}

function toAiSdkTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  { description, inputSchema, run }: AgentTool<Input, Output>,
  handle: SearchedNamespace,
): AiSdkTool<Input, z.output<Output>> {
  return {
    description,
    inputSchema,
    async execute(input, { abortSignal: signal }) {
      const { output } = await run(handle, input, { signal });
      return output;
    },
  };
}
