import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { AnyProvider, ProviderContext } from "../interfaces/provider.js";
import type { CallGuard, CallTarget } from "../resilience/call-guard.js";
import { guardEmbedder } from "../resilience/guarded-drivers.js";
import type { HidingSecrets } from "../secrets/redact-driver-errors.js";
import type { EmbeddingConfig } from "../types.js";
import { Semaphore } from "../util/semaphore.js";
import { checkVector } from "./check-vector.js";

/** Somebody waits for the namespace. */
const LIMITS = { attempts: 2, timeoutMs: 10_000 };
const TEXT = "trial";

export interface EmbeddingTrial {
  readonly provider: AnyProvider<Embedder>;
  readonly context: ProviderContext;
  readonly guard: CallGuard;
  /** Keeps the configuration's secrets out of errors. */
  readonly hidden: HidingSecrets;
  open(config: EmbeddingConfig): Promise<Embedder>;
}

/**
 * Opens the embedder of a new namespace and, where it is hosted, asks its service for a vector, within twice ten seconds or so. Returns the
 * configuration with what only the service knows.
 *
 * @throws KnowledgeBaseError `invalid_input` for what the service refuses, with its reason; a retryable one where it can't be reached
 */
export async function tryEmbedding(config: EmbeddingConfig, trial: EmbeddingTrial): Promise<EmbeddingConfig> {
  const { provider, context, guard, hidden, open } = trial;
  const complete = provider.complete?.bind(provider);
  const completed: EmbeddingConfig = complete
    ? await refusing(() =>
        guard.run(completionOf(config), ({ signal }) =>
          hidden.call(() => complete(provider.config.parse(config), { ...context, signal })),
        ),
      )
    : config;
  const embedder = await open(completed);
  if (!embedder.hosted) return completed;
  await refusing(async () => {
    const [vector] = await guardEmbedder(embedder, guard, LIMITS).embed([TEXT], { purpose: "query" });
    checkVector(embedder, vector!);
  });
  return completed;
}

/**
 * Where the call goes is not known before there is an embedder: by what of the configuration says so, so that an address which somebody
 * has named and where nothing answers keeps nobody from the vendor's own.
 */
function completionOf({ provider, baseUrl, resourceName }: EmbeddingConfig): CallTarget {
  const named = [baseUrl, resourceName].find((value) => typeof value === "string");
  const endpoint = named ? `${provider} ${named}` : provider;
  return {
    provider,
    model: null,
    operation: "embed",
    endpoint,
    hosted: { endpoint },
    code: "provider_failed",
    slots: new Semaphore(1),
    urgent: true,
    limits: LIMITS,
  };
}

/** What another attempt doesn't change is wrong with the configuration. */
async function refusing<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "provider_failed") || error.retryable) throw error;
    const issue = { field: "embeddingConfig", message: error.message, reference: true } as const;
    throw new KnowledgeBaseError("invalid_input", `embeddingConfig: ${error.message}`, {
      issues: [issue],
      cause: error,
    });
  }
}
