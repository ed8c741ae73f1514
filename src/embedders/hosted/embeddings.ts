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

/** Creates the provider of a vendor's models. Opening a model calls the vendor only if its dimensions are unknown. */
export function hostedEmbeddings<Config extends HostedEmbeddingConfig>(
  properties: HostedEmbeddings<Config>,
): Provider<Config, Embedder> {
  const configSchema = properties.config.superRefine((config, context) => {
    const problem = findDimensionsProblem(config.dimensions, properties.specOf(config.model));
    if (problem) context.addIssue({ code: "custom", path: ["dimensions"], message: problem, input: undefined });
  });
  const knownDimensions = ({ model, dimensions, nativeDimensions }: Config) =>
    dimensions ?? properties.specOf(model).dimensions ?? nativeDimensions ?? null;
  return {
    provider: properties.provider,
    secrets: properties.secrets,
    config: configSchema,
    completedFields: ["nativeDimensions"],
    async complete(config, context) {
      const known = knownDimensions(config);
      return known === null
        ? { ...config, nativeDimensions: await probeDimensions(properties, config, context) }
        : config;
    },
    async create(config, context) {
      const { model, endpoint, apiKey } = await connect(properties, config, context);
      const dimensions = knownDimensions(config) ?? (await probeDimensions(properties, config, context));
      return aiSdkEmbedder(model, {
        provider: properties.provider,
        vendor: properties.vendor,
        model: config.model,
        dimensions,
        maxInputTokens: properties.specOf(config.model).maxInputTokens,
        hosted: { endpoint },
        maxBatchSize: properties.maxBatchSize,
        maxBatchTokens: properties.maxBatchTokens,
        apiKey,
        prefix: (purpose) => properties.prefix?.(purpose, config) ?? "",
        providerOptions: (purpose) => properties.providerOptions(purpose, config),
      });
    },
  };
}

/** Prepares a model for calls, and throws if a custom endpoint is not public. */
async function connect<Config extends HostedEmbeddingConfig>(
  properties: HostedEmbeddings<Config>,
  config: Config,
  context: ProviderContext,
): Promise<Connection> {
  const connection = await properties.connect(config, context);
  const { allowPrivateHosts } = context;
  if (allowPrivateHosts) {
    checkPublicUrl(connection.endpoint, properties.hostField ?? "embeddingConfig.baseUrl", allowPrivateHosts);
  }
  return connection;
}

async function probeDimensions<Config extends HostedEmbeddingConfig>(
  properties: HostedEmbeddings<Config>,
  config: Config,
  context: ProviderContext,
): Promise<number> {
  const { model, apiKey } = await connect(properties, config, context);
  try {
    const { embeddings } = await model.doEmbed({
      values: [PROBE_TEXT],
      ...(context.signal && { abortSignal: context.signal }),
      providerOptions: properties.providerOptions("query", config),
    });
    const dimensions = embeddings[0]?.length ?? 0;
    if (dimensions > 0) return dimensions;
  } catch (error) {
    throw aiSdkError(error, { code: "provider_failed", vendor: properties.vendor, apiKey });
  }
  throw new KnowledgeBaseError("provider_failed", `${properties.vendor} ${config.model} returned no vector.`);
}
