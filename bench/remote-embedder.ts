import { setTimeout as sleep } from "node:timers/promises";
import type { Embedder, Provider } from "lorebase";
import { z } from "zod";
import { mixtureEmbedder } from "./mixture-embedder.js";

const config = z.object({ provider: z.literal("REMOTE") });
/** What a machine with a model takes for one text. */
const TEXT_MS = 10;

/** An embedder like a model on a machine of its own, which every process has one of: it embeds one batch at a time. */
export function remoteEmbedder(): Provider<z.infer<typeof config>, Embedder> {
  return {
    provider: "REMOTE",
    config,
    async create() {
      const mixture = await mixtureEmbedder().create({ provider: "MIXTURE" }, {} as never);
      let last: Promise<unknown> = Promise.resolve();
      return {
        ...mixture,
        provider: "REMOTE",
        maxBatchSize: 32,
        embed(texts, options) {
          const embedded = last.then(() => sleep(TEXT_MS * texts.length)).then(() => mixture.embed(texts, options));
          last = embedded;
          return embedded;
        },
      };
    },
  };
}
