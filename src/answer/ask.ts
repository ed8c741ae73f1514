import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { AiSdkLanguageModel } from "../interfaces/ai-sdk-language-model.js";
import type { LanguageModel } from "../interfaces/language-model.js";
import type { SearchOptions } from "../search/search.js";
import type { SearchTarget } from "../search/sources.js";
import type { AnswerMode, Metadata } from "../types.js";
import { askSchema } from "../validation/ask-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { Answer, AnswerEvent, ChatMessage } from "./answer.js";
import { answerWithQuotes } from "./extractive.js";
import { answerWithModel } from "./generative.js";

/** Options of a question and of the search for its passages. */
export interface AskOptions<M = Metadata> extends RetrievalOptions<M> {
  /** @default "single" with a language model, else "extractive" */
  readonly mode?: AnswerMode | undefined;
  /** The conversation before the question, oldest first, at most 200 messages. Used with a language model only. */
  readonly history?: readonly ChatMessage[] | undefined;
  /** Instructions to the language model on tone and content. The prompt always asks for citations. @default none */
  readonly instructions?: string | undefined;
  /**
   * The text of the answer where the documents have none, as in the language of the reader, at most 1000 characters.
   * @default "No answer was found in the documents."
   */
  readonly noAnswerText?: string | undefined;
  /** @default the option `languageModel` of the knowledge base */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel | undefined;
  /**
   * Maximum tokens of the passages in the prompt, from 500. Estimated without a tokenizer and never too low: English
   * prose fills about half. The model's context must have room for them.
   * @default 8000
   */
  readonly contextTokens?: number | undefined;
  /** The `mode` of the search. @default "hybrid" */
  readonly searchMode?: SearchOptions["mode"];
}

type RetrievalOptions<M> = Pick<
  SearchOptions<M>,
  | "topK"
  | "perDocument"
  | "maxSimilarity"
  | "diversity"
  | "filter"
  | "keywordFilter"
  | "minScore"
  | "rerank"
  | "rerankLimit"
  | "rerankModel"
  | "rerankTimeoutMs"
  | "fusion"
  | "semanticWeight"
  | "principals"
  | "signal"
>;

/**
 * Answers a question with citations.
 *
 * @throws KnowledgeBaseError `invalid_input`, the errors of a search, `conflict` (retryable) if documents kept
 * changing, `provider_failed` if the language model fails
 */
export async function* ask<M>(
  engine: Engine,
  target: SearchTarget,
  question: string,
  options: Omit<AskOptions<M>, "principals">,
): AsyncGenerator<AnswerEvent<M>, Answer<M>> {
  const { signal, languageModel, ...input } = options;
  const request = parseInput(askSchema, { ...input, question });
  const { question: _question, mode: _mode, searchMode, history, instructions, contextTokens, ...rest } = request;
  const { noAnswerText, ...retrieval } = rest;
  const search = { ...retrieval, mode: searchMode, signal } as SearchOptions<M>;
  const generate = request.mode === "extractive" ? null : findGenerate(engine, languageModel);
  const mode = request.mode ?? (generate ? "single" : "extractive");
  if (mode === "extractive") return yield* answerWithQuotes<M>(engine, target, question, noAnswerText, search);
  if (!generate) throw missingLanguageModel(mode);
  const model = { generate, mode, history, instructions, contextTokens, noAnswerText };
  return yield* answerWithModel<M>(engine, target, question, model, search);
}

function findGenerate(engine: Engine, model: AskOptions["languageModel"]): LanguageModel["generate"] | null {
  try {
    return engine.findGenerate(model);
  } catch (error) {
    if (!KnowledgeBaseError.is(error)) throw error;
    const { code, message } = error;
    throw new KnowledgeBaseError(code, `languageModel ${message}`, { issues: [{ field: "languageModel", message }] });
  }
}

function missingLanguageModel(mode: AnswerMode): KnowledgeBaseError {
  const message = `is ${JSON.stringify(mode)}, which needs a language model: set the option languageModel`;
  return new KnowledgeBaseError("invalid_input", `mode ${message}`, { issues: [{ field: "mode", message }] });
}
