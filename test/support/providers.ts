import { z } from "zod";
import type { Embedder } from "../../src/interfaces/embedder.js";
import type { Provider } from "../../src/interfaces/provider.js";
import type { VectorStore } from "../../src/interfaces/vector-store.js";

type Driver = Embedder | VectorStore;

/** Registers one driver under its provider's name. */
export function providerOf<Instance extends Driver>(driver: Instance): Provider<{ provider: string }, Instance> {
  const { provider } = driver;
  return { provider, config: z.strictObject({ provider: z.literal(provider) }), create: async () => driver };
}
