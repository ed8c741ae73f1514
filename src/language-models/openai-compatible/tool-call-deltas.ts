import { randomUUID } from "node:crypto";
import type { ToolCall } from "../../interfaces/language-model.js";
import { z } from "../../vendor/zod.js";
import { parseToolInput } from "../parse-tool-input.js";

const textSchema = z.string().nullish();

/**
 * Validates a part of a tool call. The first part has the name and id, later parts have the rest of the arguments. Some
 * servers omit the index or the id, send an empty id or the whole call at once, or send the arguments as an object.
 * Gemini's `extra_content` holds a signature that must be sent back with the call's result.
 */
export const toolCallDeltaSchema = z.object({
  index: z.number().nullish(),
  id: textSchema,
  function: z.object({ name: textSchema, arguments: z.union([z.string(), z.looseObject({})]).nullish() }).nullish(),
  extra_content: z.unknown().optional(),
});

export type ToolCallDelta = z.output<typeof toolCallDeltaSchema>;

/** Limits per answer, in case a server never ends it. */
const MAX_CALLS = 128;
const MAX_ARGUMENT_CHARACTERS = 1_000_000;

interface PartialCall {
  readonly index: number | null;
  id: string;
  name: string;
  arguments: string;
  extraContent: unknown;
}

/** Assembles the tool calls of a streamed answer. */
export class ToolCallDeltas {
  readonly #calls: PartialCall[] = [];
  readonly #toError: (message: string) => Error;
  #argumentCharacterCount = 0;

  /** @param toError Creates the error for an invalid answer. */
  constructor(toError: (message: string) => Error) {
    this.#toError = toError;
  }

  /** Adds a part. Throws if there are more than 128 calls or a million characters of arguments. */
  add({ index = null, id, function: calledFunction, extra_content: extraContent }: ToolCallDelta): void {
    const call = this.#find(index, id, calledFunction?.name) ?? this.#begin(index);
    const input = calledFunction?.arguments ?? "";
    const json = typeof input === "string" ? input : JSON.stringify(input);
    this.#argumentCharacterCount += json.length;
    if (this.#argumentCharacterCount > MAX_ARGUMENT_CHARACTERS) {
      throw this.#toError(`tool calls with more than ${MAX_ARGUMENT_CHARACTERS} characters`);
    }
    call.id ||= id ?? "";
    call.name ||= calledFunction?.name ?? "";
    call.arguments += json;
    call.extraContent ??= extraContent;
  }

  /** Returns the complete calls, in order. Throws if a call has no name. */
  complete(): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: json, extraContent }) => {
      if (name === "") throw this.#toError("a tool call without a name");
      return {
        id: id || `call_${randomUUID()}`,
        name,
        input: parseToolInput(json),
        ...(extraContent != null && { providerData: extraContent }),
      };
    });
  }

  /** Returns the call that a part continues: the last call with its index, unless the part names another call. */
  #find(index: number | null, id: string | null | undefined, name: string | null | undefined): PartialCall | null {
    const last = this.#calls.findLast((call) => index === null || call.index === index);
    if (!last) return null;
    const startsNewCall = Boolean(name) && last.name !== "" && (id ? id !== last.id : index === null);
    return startsNewCall ? null : last;
  }

  #begin(index: number | null): PartialCall {
    if (this.#calls.length === MAX_CALLS) throw this.#toError(`more than ${MAX_CALLS} tool calls`);
    const call: PartialCall = { index, id: "", name: "", arguments: "", extraContent: undefined };
    this.#calls.push(call);
    return call;
  }
}
