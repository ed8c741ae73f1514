import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lineBatches } from "../data/lines.js";
import { requirePeer } from "../peer.js";
import type { System } from "../system.js";
import { TOP_K } from "../workload.js";

const OPTIONS = { fields: ["text"] };

interface Index {
  addAll(rows: readonly { id: number; text: string }[]): void;
  search(query: string): readonly { readonly id: number }[];
}
interface MiniSearch {
  new (options: typeof OPTIONS): Index;
  loadJSON(json: string, options: typeof OPTIONS): Index;
}

/** MiniSearch, which runs in memory. Opening it means loading its JSON. */
export const miniSearch: System = {
  async fill({ directory, workload: { rows, file } }) {
    const index = new (peer())(OPTIONS);
    let id = 0;
    for await (const texts of lineBatches(file, rows, 1000)) index.addAll(texts.map((text) => ({ id: id++, text })));
    writeFileSync(join(directory, "index.json"), JSON.stringify(index));
  },

  async open({ directory }) {
    const index = peer().loadJSON(readFileSync(join(directory, "index.json"), "utf8"), OPTIONS);
    return {
      async search(query) {
        if (query.kind === "vector") throw new Error("MiniSearch has no vectors.");
        const found = index.search(query.text).slice(0, TOP_K);
        return () => found.map(({ id }) => id);
      },
      close: async () => {},
    };
  },
};

function peer(): MiniSearch {
  return requirePeer<MiniSearch>("minisearch");
}
