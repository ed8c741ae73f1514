import { KnowledgeBaseError } from "../../errors.js";
import type { Provider, ProviderContext } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { z } from "../../vendor/zod.js";

export interface ManagedStore<Account> {
  /** The provider's name, such as `MANAGED_PINECONE`. */
  readonly provider: string;
  /** The engine option that sets the account, for errors: `managed.pinecone: { apiKey, indexHost }`. */
  readonly option: string;
  readonly account: Account | undefined;
  open(provider: string, account: Account, context: ProviderContext): Promise<VectorStore>;
}

/** Creates the provider of a store in the operator's account. Namespaces select it by name, without other settings. */
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
      const message = `${provider} needs the engine option ${option}, which is not set.`;
      throw new KnowledgeBaseError("not_ready", message, { retryable: true });
    },
  };
}
