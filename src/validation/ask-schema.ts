import { z } from "../vendor/zod.js";
import { searchShape } from "./search-schema.js";
import { strict } from "./strict.js";

const { query, mode, includeRelationships, includeMetadata, includeHighlights, explain, ...retrieval } = searchShape;

const messageSchema = strict({ role: z.enum(["user", "assistant"]), content: z.string().max(100_000) });

/** The minimum has room for the beginning of one passage. */
const contextTokensSchema = z.int().min(500).max(1_000_000).default(8000);

export const askSchema = strict({
  ...retrieval,
  question: query,
  mode: z.enum(["extractive", "single", "agentic"]).optional(),
  searchMode: mode,
  history: z.array(messageSchema).max(200).default([]),
  instructions: z.string().max(20_000).optional(),
  contextTokens: contextTokensSchema,
  noAnswerText: z.string().min(1).max(1000).default("No answer was found in the documents."),
});

export const toPromptSchema = strict({ maxTokens: contextTokensSchema });

const offsetSchema = z.int().min(0);

/** The fields of citations that verification compares. */
export const verifyCitationsSchema = z.object({
  citations: z.array(
    z.object({
      documentId: z.string().min(1),
      range: z.object({ start: offsetSchema, end: offsetSchema }),
      quote: z.string(),
      sha256: z.string(),
    }),
  ),
});
