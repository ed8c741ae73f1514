import {
  type CreateNamespaceInput,
  KnowledgeBase,
  KnowledgeBaseError,
  type KnowledgeBaseOptions,
  type NamespaceHandle,
} from "lorebase";

export const LEXICAL = { provider: "MANAGED_LEXICAL" };

/** A knowledge base that lives as long as its tests and needs neither files nor network. */
export function openKnowledgeBase(options: KnowledgeBaseOptions = {}): KnowledgeBase {
  return new KnowledgeBase({ directory: ":memory:", defaultEmbedding: LEXICAL, ...options });
}

let made = 0;

/** A new namespace with a name and slug of its own. */
export async function newNamespace(
  kb: Pick<KnowledgeBase, "namespaces" | "namespace">,
  configs: Omit<CreateNamespaceInput, "name" | "slug"> = {},
): Promise<NamespaceHandle> {
  made++;
  const { id } = await kb.namespaces.create({ name: `Space ${made}`, slug: `space-${made}`, ...configs });
  return kb.namespace(id);
}

/** The error that a call ends with. */
export async function failureOf(call: () => unknown): Promise<KnowledgeBaseError> {
  try {
    await call();
  } catch (error) {
    if (KnowledgeBaseError.is(error)) return error;
    throw error;
  }
  throw new Error("the call was accepted");
}

/** Ingests texts as one batch and waits for it; fails where a document did. */
export async function ingestTexts(handle: NamespaceHandle, texts: readonly string[]): Promise<string> {
  for (let start = 0; start < texts.length; start += 1000) {
    const items = texts.slice(start, start + 1000).map((text) => ({ type: "TEXT" as const, text }));
    const job = await handle.ingest({ type: "BATCH", items }).done();
    if (job.status !== "COMPLETED") throw new Error(`the job is ${job.status}: ${job.error}`);
    if (start + 1000 >= texts.length) return job.id;
  }
  return "";
}
