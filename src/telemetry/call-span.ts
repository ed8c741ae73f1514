import { type Attributes, SpanKind } from "../vendor/opentelemetry.js";

/** A call of a model or a vector store, as a span describes it. */
interface SpannedCall {
  readonly provider: string;
  readonly model: string | null;
  readonly operation: "embed" | "rerank" | "generate" | "upsert" | "query" | "delete";
}

interface CallSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** The names of OpenTelemetry's semantic conventions; they have none for reranking. */
const GEN_AI_OPERATIONS = { embed: "embeddings", generate: "chat", rerank: "rerank" } as const;

/** Vendors whose names in the conventions differ from the provider's in lower case. */
const GEN_AI_PROVIDERS: Readonly<Record<string, string>> = {
  managed_openai: "openai",
  azure_openai: "azure.ai.openai",
  azure: "azure.ai.openai",
  google: "gcp.gemini",
};

/** Names and describes the span of a call by the semantic conventions for generative AI and for databases. */
export function callSpan({ provider, model, operation }: SpannedCall): CallSpan {
  // Models of the AI SDK have names such as "openai.chat".
  const vendor = provider.toLowerCase().split(".", 1)[0]!;
  if (operation === "upsert" || operation === "query" || operation === "delete") {
    const system = vendor.replace(/^managed_/, "");
    const attributes = { "db.system.name": system, "db.operation.name": operation };
    return { name: `${operation} ${system}`, kind: SpanKind.CLIENT, attributes };
  }
  const name = GEN_AI_OPERATIONS[operation];
  const attributes: Attributes = {
    "gen_ai.operation.name": name,
    "gen_ai.provider.name": GEN_AI_PROVIDERS[vendor] ?? vendor,
    ...(model !== null && { "gen_ai.request.model": model }),
  };
  return { name: model === null ? name : `${name} ${model}`, kind: SpanKind.CLIENT, attributes };
}
