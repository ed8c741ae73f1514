import { apiKeyField, baseUrlField } from "../../net/account-fields.js";
import { z } from "../../vendor/zod.js";

/** A model's name becomes part of a URL. */
const model = z.string().regex(/^[\w.:@-][\w.:@/-]{0,199}$/, "must be a model name of the vendor");

const count = z.int().min(1).max(65_536).optional();

/** Fields of every hosted embedder's configuration. */
export function modelFields(defaultModel: string) {
  return {
    model: model.default(defaultModel),
    /** Requested from the vendor in each call. */
    dimensions: count,
    /** Default dimensions of an unlisted model, probed once when the namespace is created. */
    nativeDimensions: count,
  };
}

/** The configuration of a vendor with one API for all its accounts. */
export function accountConfig<Name extends string>(provider: Name, defaultModel: string) {
  const { model, ...dimensions } = modelFields(defaultModel);
  return z.strictObject({
    provider: z.literal(provider),
    model,
    apiKey: apiKeyField,
    /** Replaces the vendor's URL. */
    baseUrl: baseUrlField.optional(),
    ...dimensions,
  });
}

export interface HostedEmbeddingConfig {
  readonly provider: string;
  readonly model: string;
  readonly dimensions?: number | undefined;
  readonly nativeDimensions?: number | undefined;
}

/** Known properties of a model. */
export interface ModelFacts {
  /** Default dimensions; `null` for an unknown model. */
  readonly dimensions: number | null;
  /** Dimensions that may be requested. @default only `dimensions` */
  readonly reducible?: { readonly upTo: number } | { readonly oneOf: readonly number[] };
  /** Maximum number of tokens of a text. */
  readonly maxInputTokens: number;
}

/** Why a model cannot have the requested dimensions; `null` if it can or is unknown. */
export function dimensionsProblem(requested: number | undefined, { dimensions, reducible }: ModelFacts): string | null {
  if (requested === undefined || dimensions === null || requested === dimensions) return null;
  if (!reducible) return `must be ${dimensions} for this model, not ${requested}`;
  if ("upTo" in reducible) {
    return requested <= reducible.upTo ? null : `must be at most ${reducible.upTo} for this model, not ${requested}`;
  }
  return reducible.oneOf.includes(requested)
    ? null
    : `must be one of ${reducible.oneOf.join(", ")} for this model, not ${requested}`;
}
