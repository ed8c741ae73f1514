import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import * as sqliteVec from "sqlite-vec";
import { VectorFile } from "../data/vector-file.js";
import type { System } from "../system.js";
import { bucketOf, TOP_K } from "../workload.js";

const TRANSACTION = 1000;

/**
 * A `vec0` table of 32-bit floats with a metadata column, as in the documentation of sqlite-vec. Uses Euclidean
 * distance.
 */
export const sqliteVecTable: System = {
  async fill({ directory, workload: { rows, dimensions, file } }) {
    const db = open(directory);
    db.exec(`CREATE VIRTUAL TABLE rows USING vec0(embedding float[${dimensions}], bucket integer)`);
    const insert = db.prepare("INSERT INTO rows (rowid, embedding, bucket) VALUES (?, ?, ?)");
    const vectors = new VectorFile(file, dimensions);
    const write = db.transaction((first: number, block: Float32Array) => {
      for (let at = 0; at < block.length / dimensions; at++) {
        const vector = block.subarray(at * dimensions, (at + 1) * dimensions);
        // Numbers are bound as floats; only a BigInt is an integer.
        insert.run(BigInt(first + at), vector, BigInt(bucketOf(first + at)));
      }
    });
    for (const { first, vectors: block } of vectors.blocks(rows, TRANSACTION)) write(first, block);
    vectors.close();
    db.close();
  },

  async open({ directory }) {
    const db = open(directory);
    const all = db.prepare<[Float32Array, number], { rowid: number }>(
      "SELECT rowid, distance FROM rows WHERE embedding MATCH ? AND k = ?",
    );
    const filtered = db.prepare<[Float32Array, number, bigint], { rowid: number }>(
      "SELECT rowid, distance FROM rows WHERE embedding MATCH ? AND k = ? AND bucket = ?",
    );
    return {
      async search(query) {
        if (query.kind === "text") throw new Error("A vec0 table has no texts.");
        const { vector, bucket } = query;
        const found = bucket === null ? all.all(vector, TOP_K) : filtered.all(vector, TOP_K, BigInt(bucket));
        return () => found.map(({ rowid }) => rowid);
      },
      close: async () => void db.close(),
    };
  },
};

function open(directory: string): BetterSqlite3.Database {
  const db = new BetterSqlite3(join(directory, "rows.db"));
  sqliteVec.load(db);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  return db;
}
