import type { z } from "zod";
import { KnowledgeBaseError } from "../../errors.js";
import type { AiSdkEmbeddingModel } from "../../interfaces/ai-sdk-embedding-model.js";
import type { Embedder, EmbedPurpose } from "../../interfaces/embedder.js";
import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import { aiSdkError } from "../../net/ai-sdk-error.js";
import { checkPublicUrl } from "../../net/check-public-url.js";
import { type AiSdkEmbedderOptions, aiSdkEmbedder } from "../ai-sdk/embedder.js";
import { findDimensionsProblem, type HostedEmbeddingConfig, type ModelSpec } from "./config.js";

/** A model that is ready to call. Creating a connection makes no call. */
export interface Connection {
  readonly model: AiSdkEmbeddingModel;
  readonly endpoint: string;
  readonly apiKey: string;
}

/** The properties of one vendor's embedding models. */
export interface HostedEmbeddings<Config extends HostedEmbeddingConfig>
  extends Pick<AiSdkEmbedderOptions, "provider" | "vendor" | "maxBatchSize" | "maxBatchTokens"> {
  /** The configuration's fields that hold API keys. */
  readonly secrets: readonly string[];
  readonly config: z.ZodType<Config>;
  /** The field that sets a custom endpoint, for error messages. @default "embeddingConfig.baseUrl" */
  readonly hostField?: string;
  specOf(model: string): ModelSpec;
  connect(config: NoInfer<Config>, context: Pick<ProviderContext, "fetch">): Promise<Connection>;
  /** Returns the vendor-specific options for a purpose and the requested dimensions. */
  providerOptions(
    purpose: EmbedPurpose,
    config: NoInfer<Config>,
  ): Record<string, Record<string, number | string | boolean>>;
  prefix?(purpose: EmbedPurpose, config: NoInfer<Config>): string;
}

/** Embedded to determine the dimensions of a model. */
const PROBE_TEXT = "trial";

/** Creates the provider of a vendor's models. Opening a model calls the vendor only if the dimensions are unknown. */
export function hostedEmbeddings<Config extends HostedEmbeddingConfig>(
  vendor: HostedEmbeddings<Config>,
): Provider<Config, Embedder> {
  const configSchema = vendor.config.superRefine((config, context) => {
    const problem = findDimensionsProblem(config.dimensions, vendor.specOf(config.model));
    if (problem) context.addIssue({ code: "custom", path: ["dimensions"], message: problem, input: undefined });
  });
  const knownDimensions = ({ model, dimensions, nativeDimensions }: Config) =>
    dimensions ?? vendor.specOf(model).dimensions ?? nativeDimensions ?? null;
  return {
    provider: vendor.provider,
    secrets: vendor.secrets,
    config: configSchema,
    completedFields: ["nativeDimensions"],
    async complete(config, context) {
      const known = knownDimensions(config);
      return known === null ? { ...config, nativeDimensions: await probeDimensions(vendor, config, context) } : config;
    },
    async create(config, context) {
      const { model, endpoint, apiKey } = await connect(vendor, config, context);
      const dimensions = knownDimensions(config) ?? (await probeDimensions(vendor, config, context));
      return aiSdkEmbedder(model, {
        provider: vendor.provider,
        vendor: vendor.vendor,
        model: config.model,
        dimensions,
        maxInputTokens: vendor.specOf(config.model).maxInputTokens,
        hosted: { endpoint },
        maxBatchSize: vendor.maxBatchSize,
        maxBatchTokens: vendor.maxBatchTokens,
        apiKey,
        prefix: (purpose) => vendor.prefix?.(purpose, config) ?? "",
        providerOptions: (purpose) => vendor.providerOptions(purpose, config),
      });
    },
  };
}

/** Prepares a model for calls, and throws if a custom endpoint is not public. */
async function connect<Config extends HostedEmbeddingConfig>(
  vendor: HostedEmbeddings<Config>,
  config: Config,
  context: ProviderContext,
): Promise<Connection> {
  const connection = await vendor.connect(config, context);
  const { allowPrivateHosts } = context;
  if (allowPrivateHosts) {
    checkPublicUrl(connection.endpoint, vendor.hostField ?? "embeddingConfig.baseUrl", allowPrivateHosts);
  }
  return connection;
}

async function probeDimensions<Config extends HostedEmbeddingConfig>(
  vendor: HostedEmbeddings<Config>,
  config: Config,
  context: ProviderContext,
): Promise<number> {
  const { model, apiKey } = await connect(vendor, config, context);
  try {
    const { embeddings } = await model.doEmbed({
      values: [PROBE_TEXT],
      ...(context.signal && { abortSignal: context.signal }),
      providerOptions: vendor.providerOptions("query", config),
    });
    const dimensions = embeddings[0]?.length ?? 0;
    if (dimensions > 0) return dimensions;
  } catch (error) {
    throw aiSdkError(error, { code: "provider_failed", vendor: vendor.vendor, apiKey });
  }
  throw new KnowledgeBaseError("provider_failed", `${vendor.vendor} ${config.model} returned no vector.`);
}
