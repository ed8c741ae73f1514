import type { Embedder, Provider } from "lorebase";
import { z } from "zod";
import { lexicalEmbedder } from "#dist/embedders/lexical/provider.js";

const config = z.object({ provider: z.literal("GATED") });

/** An embedder whose calls wait while its gate is closed, so that work which embeds can be halted and resumed at once. */
export class GatedEmbedder {
  #opened = Promise.resolve();
  #open = () => {};

  readonly provider: Provider<z.infer<typeof config>, Embedder> = {
    provider: "GATED",
    config,
    create: async () => {
      const embedder = lexicalEmbedder();
      return {
        ...embedder,
        provider: "GATED",
        embed: async (texts, options) => {
          await this.#opened;
          return embedder.embed(texts, options);
        },
      };
    },
  };

  close(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}
