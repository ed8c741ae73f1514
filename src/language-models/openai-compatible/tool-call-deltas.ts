import { randomUUID } from "node:crypto";
import type { ToolCall } from "../../interfaces/language-model.js";
import { z } from "../../vendor/zod.js";
import { parseToolInput } from "../parse-tool-input.js";

const text = z.string().nullish();

/**
 * A part of a tool call. The first has name and id, later ones the rest of the arguments. Some servers omit the index
 * or the id, send an empty id or the whole call at once, or the arguments as an object. Gemini's `extra_content` has
 * a signature that it requires back.
 */
export const toolCallDeltaSchema = z.object({
  index: z.number().nullish(),
  id: text,
  function: z.object({ name: text, arguments: z.union([z.string(), z.looseObject({})]).nullish() }).nullish(),
  extra_content: z.unknown().optional(),
});

export type ToolCallDelta = z.output<typeof toolCallDeltaSchema>;

/** Limits of one answer against a server that doesn't stop. */
const MAX_CALLS = 128;
const MAX_ARGUMENT_CHARACTERS = 1_000_000;

interface PartialCall {
  readonly index: number | null;
  id: string;
  name: string;
  arguments: string;
  extraContent: unknown;
}

/** Gathers the tool calls of a streamed answer. */
export class ToolCallDeltas {
  readonly #calls: PartialCall[] = [];
  readonly #toError: (message: string) => Error;
  #characters = 0;

  /** @param toError Creates the error of an invalid answer. */
  constructor(toError: (message: string) => Error) {
    this.#toError = toError;
  }

  /** Throws for more than 128 calls or a million characters of arguments. */
  add({ index = null, id, function: called, extra_content: extraContent }: ToolCallDelta): void {
    const call = this.#find(index, id, called?.name) ?? this.#begin(index);
    const given = called?.arguments ?? "";
    const written = typeof given === "string" ? given : JSON.stringify(given);
    this.#characters += written.length;
    if (this.#characters > MAX_ARGUMENT_CHARACTERS) {
      throw this.#toError(`tool calls of more than ${MAX_ARGUMENT_CHARACTERS} characters`);
    }
    call.id ||= id ?? "";
    call.name ||= called?.name ?? "";
    call.arguments += written;
    call.extraContent ??= extraContent;
  }

  /** The complete calls, in order. Throws for a call without a name. */
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

  /** The call that a delta continues: the last one of its index, unless it names another call. */
  #find(index: number | null, id: string | null | undefined, name: string | null | undefined): PartialCall | null {
    const last = this.#calls.findLast((call) => index === null || call.index === index);
    if (!last) return null;
    const isOther = Boolean(name) && last.name !== "" && (id ? id !== last.id : index === null);
    return isOther ? null : last;
  }

  #begin(index: number | null): PartialCall {
    if (this.#calls.length === MAX_CALLS) throw this.#toError(`more than ${MAX_CALLS} tool calls`);
    const call: PartialCall = { index, id: "", name: "", arguments: "", extraContent: undefined };
    this.#calls.push(call);
    return call;
  }
}
