import { apiKeyField, baseUrlField } from "../../net/account-fields.js";
import { z } from "../../vendor/zod.js";

/** A model's name goes into an address. */
const model = z.string().regex(/^[\w.:@-][\w.:@/-]{0,199}$/, "must be a model's name as the vendor has it");

const count = z.int().min(1).max(65_536).optional();

/** Fields that configurations of hosted embedders have in common. */
export const hostedFields = {
  apiKey: apiKeyField,
  /** Where calls go instead of to the vendor's own address. */
  baseUrl: baseUrlField.optional(),
  model,
  /** Asked of the vendor with each call. */
  dimensions: count,
  /** What a model gives that is not asked for a number of dimensions, where no table here says it: found out once, at creation. */
  nativeDimensions: count,
};

export interface HostedEmbeddingConfig {
  readonly provider: string;
  readonly model: string;
  readonly dimensions?: number | undefined;
  readonly nativeDimensions?: number | undefined;
}

/** What is known of a model before it is asked. */
export interface ModelFacts {
  /** Without being asked for a number of them; null for a model that is not known here. */
  readonly dimensions: number | null;
  /** Numbers of dimensions that it may be asked for: from 1 up to one, or one of some. @default none besides its own */
  readonly reducible?: { readonly upTo: number } | { readonly oneOf: readonly number[] };
  /** Tokens of one text. */
  readonly maxInputTokens: number;
}

/** What is wrong with the number of dimensions that a model is to be asked for; null where nothing is known to be. */
export function dimensionsProblem(asked: number | undefined, { dimensions, reducible }: ModelFacts): string | null {
  if (asked === undefined || dimensions === null || asked === dimensions) return null;
  if (!reducible) return `must be ${dimensions}, which is all that this model gives, not ${asked}`;
  if ("upTo" in reducible) {
    return asked <= reducible.upTo ? null : `must be at most ${reducible.upTo} for this model, not ${asked}`;
  }
  return reducible.oneOf.includes(asked)
    ? null
    : `must be one of ${reducible.oneOf.join(", ")} for this model, not ${asked}`;
}
