import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { lineBatches } from "../data/lines.js";
import { VectorFile } from "../data/vector-file.js";
import { requirePeer } from "../peer.js";
import type { Setup, System } from "../system.js";
import { bucketOf, TOP_K, type Workload } from "../workload.js";

const BATCH = 1000;

type Index = object;
interface Orama {
  create(options: { readonly schema: object }): Index;
  insertMultiple(index: Index, rows: readonly object[], batchSize: number): Promise<unknown>;
  search(index: Index, query: object): Promise<{ readonly hits: readonly { readonly document: { row: number } }[] }>;
  save(index: Index): unknown;
  load(index: Index, saved: unknown): void;
}

/** Orama, which runs in memory. Opening it means loading the result of `save`, stored with V8's serializer. */
export const orama: System = {
  async fill(setup) {
    const peer = requirePeer<Orama>("@orama/orama");
    const index = create(peer, setup);
    for await (const rows of batches(setup.workload)) await peer.insertMultiple(index, rows, BATCH);
    writeFileSync(fileOf(setup), serialize(peer.save(index)));
  },

  async open(setup) {
    const peer = requirePeer<Orama>("@orama/orama");
    const index = create(peer, setup);
    peer.load(index, deserialize(readFileSync(fileOf(setup))));
    return {
      async search(query) {
        const { hits } = await peer.search(
          index,
          query.kind === "text"
            ? { term: query.text, properties: ["text"], limit: TOP_K }
            : {
                mode: "vector",
                vector: { value: query.vector, property: "vector" },
                similarity: 0,
                limit: TOP_K,
                ...(query.bucket === null ? {} : { where: { bucket: { eq: query.bucket } } }),
              },
        );
        return () => hits.map(({ document }) => document.row);
      },
      close: async () => {},
    };
  },
};

function create(peer: Orama, { workload: { kind, dimensions } }: Setup): Index {
  const searched = kind === "keywords" ? { text: "string" } : { bucket: "number", vector: `vector[${dimensions}]` };
  return peer.create({ schema: { row: "number", ...searched } });
}

const fileOf = ({ directory }: Setup) => join(directory, "index.v8");

async function* batches({ kind, rows, dimensions, file }: Workload): AsyncGenerator<readonly object[]> {
  if (kind === "keywords") {
    let row = 0;
    for await (const texts of lineBatches(file, rows, BATCH)) yield texts.map((text) => ({ row: row++, text }));
    return;
  }
  const vectors = new VectorFile(file, dimensions);
  for (const { first, count, vectors: block } of vectors.blocks(rows, BATCH)) {
    yield Array.from({ length: count }, (_, index) => {
      const vector = Array.from(block.subarray(index * dimensions, (index + 1) * dimensions));
      return { row: first + index, bucket: bucketOf(first + index), vector };
    });
  }
  vectors.close();
}
