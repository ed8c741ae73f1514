import { KnowledgeBaseError } from "../../errors.js";
import type { DeleteTarget, VectorStore } from "../../interfaces/vector-store.js";
import type { CallOptions } from "../../types.js";
import { abortable } from "../../util/abortable.js";
import { packBatches } from "../../util/pack-batches.js";
import { toFilterCondition } from "../hosted/filter-condition.js";
import { normalize } from "../hosted/normalize.js";
import { scopeName } from "../hosted/scope-name.js";
import { EXACT_LIMITS, type ExactLimits } from "./choose-search.js";
import { findNearest } from "./find-nearest.js";
import { IndexBuilds } from "./index-builds.js";
import type { NearestSearch } from "./nearest-search.js";
import { prepareDatabase } from "./prepare-database.js";
import { RecentChoices } from "./recent-choices.js";
import { inTransaction, type Session, type Sessions } from "./sessions.js";
import { TABLE } from "./table.js";
import { ROW_COLUMNS, toRow } from "./to-row.js";

/** The most dimensions of pgvector's type `vector`. */
const MAX_DIMENSIONS = 16_000;
const PREPARE_TIMEOUT_MS = 10_000;
const BATCH_LIMITS = { maxItems: 1000, maxWeight: 8_000_000 };

export interface PgvectorStoreOptions {
  readonly provider: string;
  /** The connections, which the store closes. */
  readonly sessions: Sessions;
  /** Called if an index can't be created. */
  onWarning(message: string): void;
  /** @default 50,000 vectors of a scope, 20,000 that match */
  readonly exactLimits?: ExactLimits;
}

/** Creates a store of vectors in a PostgreSQL table. Its first use installs pgvector and creates the table. */
export function pgvectorStore(options: PgvectorStoreOptions): VectorStore {
  const { provider, sessions, onWarning, exactLimits = EXACT_LIMITS } = options;
  const choices = new RecentChoices();
  const builds = new IndexBuilds(sessions, onWarning, () => choices.forgetUnindexed());
  const means = { exactLimits, builds, choices };
  let preparing: Promise<void> | null = null;
  /** The first call prepares the database for all; after a failure, the next one tries again. */
  const prepare = async ({ signal }: CallOptions = {}) => {
    signal?.throwIfAborted();
    preparing ??= prepareInTime(sessions).catch((error) => {
      preparing = null;
      throw error;
    });
    await (signal ? abortable(preparing, signal) : preparing);
  };
  return {
    provider,
    hosted: { endpoint: sessions.address },

    async check(dimensions, call) {
      if (dimensions > MAX_DIMENSIONS) {
        const message = `pgvector supports up to ${MAX_DIMENSIONS} dimensions, but the embedder has ${dimensions}.`;
        throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "vectorStoreConfig", message }] });
      }
      await prepare(call);
    },

    async upsert(scope, records, call) {
      await prepare(call);
      // A statement can't replace a row that it has inserted.
      const latest = new Map(records.map((record) => [record.id, record]));
      const rows = [...latest.values()].map((record) => JSON.stringify(toRow(record)));
      const sizes = rows.map((row) => Buffer.byteLength(row));
      for (const [start, end] of packBatches(sizes, BATCH_LIMITS)) {
        const batch = `[${rows.slice(start, end).join(",")}]`;
        await sessions.withConnection(
          (session) => inTransaction(session, () => session.query(UPSERT, [scopeName(scope), batch])),
          call,
        );
      }
    },

    async query(scope, { vector, topK, filter }, call) {
      const condition = filter === null ? true : toFilterCondition(filter);
      await prepare(call);
      if (condition === false) return [];
      const search: NearestSearch = {
        scope: scopeName(scope),
        dimensions: vector.length,
        direction: normalize(vector),
        topK,
        condition: condition === true ? null : condition,
      };
      return sessions.withConnection((session) => findNearest(session, search, means), call);
    },

    async delete(scope, target, call) {
      await prepare(call);
      await sessions.withConnection((session) => deleteRows(session, scopeName(scope), target), call);
    },

    async close() {
      builds.close();
      await sessions.close();
      await builds.settle();
    },
  };
}

/** All calls wait for this, so it ends by itself on a connection that is lost. */
async function prepareInTime(sessions: Sessions): Promise<void> {
  const signal = AbortSignal.timeout(PREPARE_TIMEOUT_MS);
  try {
    await sessions.withConnection((session) => prepareDatabase(session, sessions.address), { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const message =
      `pgvector at ${sessions.address} did not prepare its table within ${PREPARE_TIMEOUT_MS / 1000} s. ` +
      "Check that the server can be reached; the next call tries again.";
    throw new KnowledgeBaseError("store_failed", message, { retryable: true, cause: error });
  }
}

const COLUMNS = Object.keys(ROW_COLUMNS);
const UPSERT = `INSERT INTO ${TABLE} (scope, ${COLUMNS.join(", ")})
  SELECT $1::text, ${COLUMNS.map((name) => `r.${name}`).join(", ")}
  FROM json_to_recordset($2::json) AS r (${Object.entries(ROW_COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(", ")})
  ON CONFLICT (scope, id) DO UPDATE SET ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(", ")}`;

async function deleteRows(session: Session, scope: string, target: DeleteTarget): Promise<void> {
  if (target === "all") {
    await session.query(`DELETE FROM ${TABLE} WHERE scope = $1`, [scope]);
    return;
  }
  const { documentId, generation = null } = target;
  await session.query(
    `DELETE FROM ${TABLE} WHERE scope = $1 AND document_id = $2 AND ($3::bigint IS NULL OR generation = $3::bigint)`,
    [scope, documentId, generation],
  );
}
