import { KnowledgeBaseError } from "../errors.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { AnyProvider, ProviderContext } from "../interfaces/provider.js";
import type { CallGuard, CallTarget } from "../resilience/call-guard.js";
import { guardEmbedder } from "../resilience/guarded-drivers.js";
import type { DriverErrorRedactor } from "../secrets/driver-error-redactor.js";
import type { EmbeddingConfig } from "../types.js";
import { Semaphore } from "../util/semaphore.js";
import { checkVector } from "./check-vector.js";

/** Short, since creating a namespace waits for the probe. */
const PROBE_LIMITS = { attempts: 2, timeoutMs: 10_000 };
const PROBE_TEXT = "trial";

export interface ProbeContext {
  readonly provider: AnyProvider<Embedder>;
  readonly context: ProviderContext;
  readonly guard: CallGuard;
  /** Masks the configuration's secrets in errors. */
  readonly redact: DriverErrorRedactor;
  open(config: EmbeddingConfig): Promise<Embedder>;
}

/**
 * Opens the embedder of a new namespace. If it is hosted, embeds a short text (two attempts of up to 10 s each).
 * Returns the configuration, completed with the fields that only the service knows.
 *
 * @throws KnowledgeBaseError `invalid_input` with the service's reason if the service refuses; a retryable error if the
 * service is unreachable
 */
export async function probeEmbedder(config: EmbeddingConfig, probe: ProbeContext): Promise<EmbeddingConfig> {
  const { provider, context, guard, redact, open } = probe;
  const complete = provider.complete?.bind(provider);
  const completed: EmbeddingConfig = complete
    ? await reportAsInvalidConfig(() =>
        guard.run(completionTarget(config), ({ signal }) =>
          redact.run(() => complete(provider.config.parse(config), { ...context, signal })),
        ),
      )
    : config;
  const embedder = await open(completed);
  if (!embedder.hosted) return completed;
  await reportAsInvalidConfig(async () => {
    const [vector] = await guardEmbedder(embedder, guard, PROBE_LIMITS).embed([PROBE_TEXT], { purpose: "query" });
    checkVector(embedder, vector!);
  });
  return completed;
}

/**
 * Returns the target of the call that completes a configuration. The endpoint is not known before the embedder is open,
 * so it is derived from the configuration's address: a custom address that is down must not open the circuit of the
 * vendor's endpoint.
 */
function completionTarget({ provider, baseUrl, resourceName }: EmbeddingConfig): CallTarget {
  const address = [baseUrl, resourceName].find((value) => typeof value === "string");
  const endpoint = address ? `${provider} ${address}` : provider;
  return {
    provider,
    model: null,
    operation: "embed",
    endpoint,
    hosted: { endpoint },
    code: "provider_failed",
    slots: new Semaphore(1),
    urgent: true,
    limits: PROBE_LIMITS,
  };
}

/** Reports a permanent failure as an error of the configuration. */
async function reportAsInvalidConfig<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!KnowledgeBaseError.is(error, "provider_failed") || error.retryable) throw error;
    const issue = { field: "embeddingConfig", message: error.message, reference: true } as const;
    throw new KnowledgeBaseError("invalid_input", `embeddingConfig: ${error.message}`, {
      issues: [issue],
      cause: error,
    });
  }
}
