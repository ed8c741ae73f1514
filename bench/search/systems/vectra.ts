import { VectorFile } from "../data/vector-file.js";
import { requirePeer } from "../peer.js";
import type { System } from "../system.js";
import { bucketOf, TOP_K } from "../workload.js";

const BLOCK = 1000;

interface LocalIndex {
  createIndex(options: object): Promise<void>;
  beginUpdate(): Promise<void>;
  insertItem(item: { id: string; vector: number[]; metadata: object }): Promise<unknown>;
  endUpdate(): Promise<void>;
  queryItems(
    vector: number[],
    query: string,
    topK: number,
    filter?: object,
  ): Promise<readonly { readonly item: { readonly id: string } }[]>;
}
interface Vectra {
  LocalIndex: new (directory: string) => LocalIndex;
}

/** vectra: one JSON file with metadata, read at the first query. Indexed metadata would need a file for each row. */
export const vectra: System = {
  async fill({ directory, workload: { rows, dimensions, file } }) {
    const index = open(directory);
    await index.createIndex({ version: 1 });
    await index.beginUpdate();
    const vectors = new VectorFile(file, dimensions);
    for (const { first, count, vectors: block } of vectors.blocks(rows, BLOCK)) {
      for (let at = 0; at < count; at++) {
        const row = first + at;
        const vector = Array.from(block.subarray(at * dimensions, (at + 1) * dimensions));
        await index.insertItem({ id: String(row), vector, metadata: { bucket: bucketOf(row) } });
      }
    }
    vectors.close();
    await index.endUpdate();
  },

  async open({ directory }) {
    const index = open(directory);
    return {
      async search(query) {
        if (query.kind === "text") throw new Error("Only vectors are compared in vectra.");
        const filter = query.bucket === null ? undefined : { bucket: { $eq: query.bucket } };
        const found = await index.queryItems(Array.from(query.vector), "", TOP_K, filter);
        return () => found.map(({ item }) => Number(item.id));
      },
      close: async () => {},
    };
  },
};

function open(directory: string): LocalIndex {
  const { LocalIndex } = requirePeer<Vectra>("vectra");
  return new LocalIndex(directory);
}
