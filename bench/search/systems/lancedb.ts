import { lineBatches } from "../data/lines.js";
import { VectorFile } from "../data/vector-file.js";
import { requirePeer } from "../peer.js";
import type { System } from "../system.js";
import { bucketOf, TOP_K, type Workload } from "../workload.js";

const BATCH = 10_000;

interface ArrowTable {
  readonly numRows: number;
}
interface Arrow {
  Float32: new () => object;
  Field: new (name: string, type: object, nullable: boolean) => object;
  FixedSizeList: new (size: number, item: object) => object;
  Table: new (columns: Record<string, object>) => ArrowTable;
  makeData(description: object): object;
  makeVector(values: object): object;
  vectorFromArray(values: readonly string[], type: object): object;
  Utf8: new () => object;
}
interface LanceQuery {
  distanceType(type: "dot"): LanceQuery;
  nprobes(count: number): LanceQuery;
  refineFactor(factor: number): LanceQuery;
  where(condition: string): LanceQuery;
  select(columns: readonly string[]): LanceQuery;
  limit(count: number): LanceQuery;
  toArray(): Promise<{ readonly id: number }[]>;
}
interface LanceTable {
  add(rows: ArrowTable): Promise<unknown>;
  optimize(): Promise<unknown>;
  createIndex(column: string, options: { readonly config: object }): Promise<void>;
  vectorSearch(vector: Float32Array): LanceQuery;
  search(query: string, type: "fts", column: string): LanceQuery;
}
interface LanceConnection {
  createTable(name: string, rows: ArrowTable): Promise<LanceTable>;
  openTable(name: string): Promise<LanceTable>;
  close(): void;
}
interface Lance {
  connect(directory: string): Promise<LanceConnection>;
  Index: { bitmap(): object; fts(): object; ivfRq(options: { readonly distanceType: "dot" }): object };
}

/** LanceDB as in its documentation. Without an index it compares every vector. */
export const lanceTable = system({ indexed: false });

/** The same with a vector index, and exact distances for a hundred candidates. */
export const lanceIndex = system({ indexed: true });

function system({ indexed }: { readonly indexed: boolean }): System {
  return {
    async fill({ directory, workload }) {
      const { connect, Index } = requirePeer<Lance>("@lancedb/lancedb");
      const connection = await connect(directory);
      let table: LanceTable | null = null;
      for await (const rows of batches(workload)) {
        if (table) await table.add(rows);
        else table = await connection.createTable("rows", rows);
      }
      if (!table) throw new Error("There are no rows.");
      await table.optimize();
      if (workload.kind === "keywords") await table.createIndex("text", { config: Index.fts() });
      else await table.createIndex("bucket", { config: Index.bitmap() });
      if (indexed) await table.createIndex("vector", { config: Index.ivfRq({ distanceType: "dot" }) });
      connection.close();
    },

    async open({ directory }) {
      const { connect } = requirePeer<Lance>("@lancedb/lancedb");
      const connection = await connect(directory);
      const table = await connection.openTable("rows");
      return {
        async search(query) {
          let found: LanceQuery;
          if (query.kind === "text") found = table.search(query.text, "fts", "text").select(["id", "_score"]);
          else {
            found = table.vectorSearch(query.vector).distanceType("dot").select(["id", "_distance"]);
            if (indexed) found = found.nprobes(20).refineFactor(10);
            if (query.bucket !== null) found = found.where(`bucket = ${query.bucket}`);
          }
          const rows = await found.limit(TOP_K).toArray();
          return () => rows.map(({ id }) => id);
        },
        close: async () => connection.close(),
      };
    },
  };
}

async function* batches({ kind, rows, dimensions, file }: Workload): AsyncGenerator<ArrowTable> {
  const arrow = requirePeer<Arrow>("apache-arrow");
  const table = (first: number, count: number, columns: Record<string, object>) => {
    const id = Int32Array.from({ length: count }, (_, index) => first + index);
    return new arrow.Table({ id: arrow.makeVector(id), bucket: arrow.makeVector(id.map(bucketOf)), ...columns });
  };
  if (kind === "keywords") {
    let first = 0;
    for await (const texts of lineBatches(file, rows, BATCH)) {
      yield table(first, texts.length, { text: arrow.vectorFromArray(texts, new arrow.Utf8()) });
      first += texts.length;
    }
    return;
  }
  const vectors = new VectorFile(file, dimensions);
  for (const { first, count, vectors: block } of vectors.blocks(rows, BATCH)) {
    const child = arrow.makeData({ type: new arrow.Float32(), data: block });
    const type = new arrow.FixedSizeList(dimensions, new arrow.Field("item", new arrow.Float32(), true));
    const data = arrow.makeData({ type, length: count, nullCount: 0, child });
    yield table(first, count, { vector: arrow.makeVector(data) });
  }
  vectors.close();
}
