import { type CitedHit, formatAnswer, formatCitation, KnowledgeBaseError, type NamespaceHandle } from "../index.js";
import type { CallOptions } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { MAX_QUERY_LENGTH } from "../validation/query-length.js";
import { z } from "../vendor/zod.js";

/** The part of a namespace, or of one tenant of it, that the tools use. */
export type SearchedNamespace = Pick<NamespaceHandle, "tenantId" | "search" | "ask" | "documents">;

/** A read-only function over one namespace, or one tenant of it, for agents. */
export interface AgentTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** In snake case. */
  readonly name: string;
  readonly title: string;
  /** Tells a model what the tool does and when to call it. */
  readonly description: string;
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  /** @throws KnowledgeBaseError `invalid_input` if the input doesn't fit the schema, and the errors of the handle */
  run(handle: SearchedNamespace, input: unknown, call: CallOptions): Promise<AgentToolResult<z.output<Output>>>;
}

export interface AgentToolResult<Output> {
  /** The output, which matches the output schema. */
  readonly output: Output;
  /** The output as text for a model. */
  readonly text: string;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Pick<AgentTool, "name" | "title" | "description"> {
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  run(handle: SearchedNamespace, input: z.output<Input>, call: CallOptions): Promise<z.output<Output>>;
  toText(output: z.output<Output>): string;
}

const MAX_DOCUMENTS = 50;
const MAX_CHARACTERS = 20_000;

const rangeSchema = z.object({ start: z.int(), end: z.int() }).describe("In characters of the document's text");

const passageSchema = z.object({
  chunkId: z.string(),
  documentId: z.string(),
  source: z.string().describe("The document's name, pages or cells, and headings"),
  page: z.int().optional(),
  score: z.number().describe("0 to 1"),
  text: z.string(),
  range: rangeSchema.optional(),
});

const citationSchema = z.object({
  number: z.int().describe("The number in the text, such as [1]"),
  chunkId: z.string(),
  documentId: z.string(),
  source: z.string().describe("The document's name, and the page or cells and the headings of the quote"),
  page: z.int().optional(),
  quote: z.string().describe("Word for word from the document"),
  range: rangeSchema,
});

export const search = defineTool({
  name: "search",
  title: "Search documents",
  description: "Finds the passages of the documents that fit a query best, by meaning and by words.",
  inputSchema: z.strictObject({
    query: z.string().min(1).max(MAX_QUERY_LENGTH),
    limit: z.int().min(1).max(20).default(5).describe("How many passages to return at most"),
  }),
  outputSchema: z.object({ passages: z.array(passageSchema) }),
  async run(handle, { query, limit }, { signal }) {
    const hits = await handle.search(query, { topK: limit, signal });
    return {
      passages: hits.map((hit) => ({
        chunkId: hit.id,
        documentId: documentIdOf(hit),
        source: formatCitation(hit),
        ...(hit.pages && { page: hit.pages[0] }),
        score: hit.score,
        text: hit.text,
        ...(hit.range && { range: { ...hit.range } }),
      })),
    };
  },
  toText: ({ passages }) =>
    passages.map(({ source, text }, index) => `[${index + 1}] ${source}\n${text}`).join("\n\n") || "Nothing was found.",
});

export const ask = defineTool({
  name: "ask",
  title: "Ask the documents",
  description: "Answers a question from the documents, with quotes as citations, or says that they don't answer it.",
  inputSchema: z.strictObject({ question: z.string().min(1).max(MAX_QUERY_LENGTH) }),
  outputSchema: z.object({
    text: z.string().describe("The answer, with citation numbers such as [1]"),
    isAnswered: z.boolean(),
    citations: z.array(citationSchema),
  }),
  async run(handle, { question }, { signal }) {
    const answer = await handle.ask(question, { signal });
    return {
      text: formatAnswer(answer),
      isAnswered: answer.isAnswered,
      citations: answer.citations.map((citation) => {
        const { number, chunkId, documentId, page, quote, range } = citation;
        return {
          ...{ number, chunkId, documentId, source: formatCitation(citation) },
          ...(page !== undefined && { page }),
          ...{ quote, range: { ...range } },
        };
      }),
    };
  },
  toText({ text, citations }) {
    const quotes = citations.map(({ number, source, quote }) => `[${number}] ${source}: "${quote}"`);
    return [text, ...quotes].join("\n\n");
  },
});

export const readDocument = defineTool({
  name: "read_document",
  title: "Read a document",
  description: "Returns a part of a document's text, such as what is around the range of a passage or a citation.",
  inputSchema: z.strictObject({
    documentId: z.string().min(1).max(256),
    start: z.int().min(0).default(0).describe("The first character"),
    length: z
      .int()
      .min(1)
      .max(MAX_CHARACTERS)
      .default(MAX_CHARACTERS)
      .describe("How many characters to return at most"),
  }),
  outputSchema: z.object({
    documentId: z.string(),
    name: z.string().nullable(),
    text: z.string(),
    start: z.int(),
    end: z.int(),
    total: z.int().describe("Characters of the whole text"),
  }),
  async run(handle, { documentId, start, length }, { signal }) {
    const document = await handle.documents.get(documentId, { signal });
    // A handle without a tenant reads the documents of all tenants, but searches the default partition only.
    if (document.tenantId !== handle.tenantId) throw notFound(documentId);
    const { name, totalCharacters: total } = document;
    if (start > total) throw beyondEnd(start, total);
    const { text } = await handle.documents.text(documentId, { range: { start, end: start + length }, signal });
    return { documentId, name, text, start, end: start + text.length, total };
  },
  toText: ({ name, documentId, text, start, end, total }) =>
    `${name ?? documentId}, characters ${start} to ${end} of ${total}:\n\n${text}`,
});

export const listDocuments = defineTool({
  name: "list_documents",
  title: "List documents",
  description: "Lists the documents that can be searched, newest first, without those that are being replaced.",
  inputSchema: z.strictObject({
    cursor: z.string().max(1000).optional().describe("nextCursor of the previous page"),
    limit: z.int().min(1).max(MAX_DOCUMENTS).default(MAX_DOCUMENTS),
  }),
  outputSchema: z.object({
    documents: z.array(
      z.object({ documentId: z.string(), name: z.string().nullable(), pages: z.int(), characters: z.int() }),
    ),
    nextCursor: z.string().nullable(),
  }),
  async run(handle, { cursor, limit }, { signal }) {
    const { tenantId, documents } = handle;
    const page = await documents.list({ tenantId, statuses: ["COMPLETED"], perPage: limit, cursor, signal });
    return {
      documents: page.items.map(({ id, name, totalPages, totalCharacters }) => {
        return { documentId: id, name, pages: totalPages, characters: totalCharacters };
      }),
      nextCursor: page.nextCursor,
    };
  },
  toText({ documents, nextCursor }) {
    const lines = documents.map(({ documentId, name, characters }) => `${documentId}  ${name ?? ""}  ${characters}`);
    return [...lines, ...(nextCursor ? [`More with the cursor ${nextCursor}`] : [])].join("\n") || "No documents.";
  },
});

/** The tools of agents, over MCP and in the AI SDK. Each tool validates its input against its schema. */
export const AGENT_TOOLS: readonly AgentTool[] = [search, ask, readDocument, listDocuments];

function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolDefinition<Input, Output>,
): AgentTool<Input, Output> {
  return {
    ...tool,
    async run(handle, input, call) {
      const output = await tool.run(handle, parseInput(tool.inputSchema, input), call);
      return { output, text: tool.toText(output) };
    },
  };
}

function notFound(documentId: string): KnowledgeBaseError {
  return new KnowledgeBaseError("not_found", `There is no document ${JSON.stringify(documentId)}.`);
}

function beyondEnd(start: number, total: number): KnowledgeBaseError {
  const message = `is beyond the end of the text, which has ${total} characters, got ${start}`;
  return new KnowledgeBaseError("invalid_input", `start: ${message}`, { issues: [{ field: "start", message }] });
}

function documentIdOf({ id }: CitedHit): string {
  return id.replace(/#\d+$/, "");
}
