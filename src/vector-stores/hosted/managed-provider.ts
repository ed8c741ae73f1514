import { KnowledgeBaseError } from "../../errors.js";
import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { z } from "../../vendor/zod.js";

export interface ManagedStore<Account> {
  /** As in `MANAGED_PINECONE`. */
  readonly provider: string;
  /** The engine's option and its fields, for whoever has not given it: `managed.pinecone: { apiKey, indexHost }`. */
  readonly option: string;
  readonly account: Account | undefined;
  open(provider: string, account: Account, context: ProviderContext): Promise<VectorStore>;
}

/** A vendor's store in the account of whoever runs the engine: namespaces name it, and give nothing else. */
export function managedProvider<Account>({
  provider,
  option,
  account,
  open,
}: ManagedStore<Account>): Provider<{ readonly provider: string }, VectorStore> {
  return {
    provider,
    config: z.strictObject({ provider: z.literal(provider) }),
    async create(_, context) {
      if (account) return open(provider, account, context);
      const message = `${provider} needs the option ${option}, which this engine was not given.`;
      throw new KnowledgeBaseError("not_ready", message, { retryable: true });
    },
  };
}
