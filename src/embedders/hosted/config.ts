import { apiKeySchema, baseUrlSchema } from "../../net/account-fields.js";
import { z } from "../../vendor/zod.js";

/** Limited to safe characters, because a model's name becomes part of a URL. */
const modelSchema = z.string().regex(/^[\w.:@-][\w.:@/-]{0,199}$/, "must be a model name of the vendor");

const dimensionsSchema = z.int().min(1).max(65_536).optional();

/** Returns the fields that every hosted embedder's configuration has. */
export function modelFields(defaultModel: string) {
  return {
    model: modelSchema.default(defaultModel),
    /** The dimensions to request from the vendor in each call. */
    dimensions: dimensionsSchema,
    /** Default dimensions of an unlisted model, probed once when the namespace is created. */
    nativeDimensions: dimensionsSchema,
  };
}

/** Returns the configuration schema of a vendor with one API for all accounts. */
export function accountConfigSchema<Name extends string>(provider: Name, defaultModel: string) {
  const { model, ...dimensionFields } = modelFields(defaultModel);
  return z.strictObject({
    provider: z.literal(provider),
    model,
    apiKey: apiKeySchema,
    /** Replaces the vendor's URL. */
    baseUrl: baseUrlSchema.optional(),
    ...dimensionFields,
  });
}

export interface HostedEmbeddingConfig {
  readonly provider: string;
  readonly model: string;
  readonly dimensions?: number | undefined;
  readonly nativeDimensions?: number | undefined;
}

/** Known properties of a model. */
export interface ModelSpec {
  /** Default dimensions; `null` for an unknown model. */
  readonly dimensions: number | null;
  /** The numbers of dimensions that may be requested. @default only `dimensions` */
  readonly requestableDimensions?: { readonly upTo: number } | { readonly oneOf: readonly number[] };
  /** Maximum tokens of a text. */
  readonly maxInputTokens: number;
}

/** Returns why a model cannot have the requested dimensions; `null` if it can or is unknown. */
export function findDimensionsProblem(
  requested: number | undefined,
  { dimensions, requestableDimensions }: ModelSpec,
): string | null {
  if (requested === undefined || dimensions === null || requested === dimensions) return null;
  if (!requestableDimensions) return `must be ${dimensions} for this model, not ${requested}`;
  if ("upTo" in requestableDimensions) {
    return requested <= requestableDimensions.upTo
      ? null
      : `must be at most ${requestableDimensions.upTo} for this model, not ${requested}`;
  }
  return requestableDimensions.oneOf.includes(requested)
    ? null
    : `must be one of ${requestableDimensions.oneOf.join(", ")} for this model, not ${requested}`;
}
