import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { openParts } from "#dist/create-engine.js";
import { EventBus } from "#dist/events/event-bus.js";
import { parseFilter } from "#dist/filter.js";
import { resolveOptions } from "#dist/options.js";
import { startDatabase } from "#dist/storage/start-database.js";
import type { System } from "../system.js";
import { TOP_K } from "../workload.js";
import { lorebase, SLUG } from "./lorebase.js";

/**
 * The search index alone, for peers that are only a vector store: it embeds no query and reads no passage. It uses the
 * engine's directory, since its vectors belong to chunks in the database.
 */
export const lorebaseStore: System = {
  fill: lorebase.fill,

  async open({ directory, settings }) {
    const options = resolveOptions({ directory, worker: false, ...settings.open });
    const opened = await openParts(options, new EventBus(), await startDatabase(options));
    const { engine, feed } = opened;
    const { id, organizationId, vectorStoreConfig } = await engine.storage.namespaces.resolve({
      organizationId: "org_default",
      ref: SLUG,
    });
    const vectors = await engine.drivers.locateVectors(vectorStoreConfig);
    const approximate = vectors.kind === "index" && vectors.approximate;
    const scope = { organizationId, namespaceId: id, tenantId: null };
    const reader = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
    const row = reader
      .prepare(
        `SELECT json_extract(c.metadata, '$.first') + c.ordinal FROM chunks c
         JOIN documents d ON d.seq = c.document_seq WHERE d.id = ? AND c.ordinal = ?`,
      )
      .pluck();
    return {
      async search(query) {
        if (query.kind === "text") throw new Error("A vector store has no texts.");
        const filter = query.bucket === null ? null : parseFilter({ bucket: query.bucket });
        const limits = { limit: TOP_K, required: null, withPassages: false, approximate };
        const { matches } = await engine.storage.index.vectorSearch({ scope, vector: query.vector, filter, ...limits });
        return () =>
          matches.map(({ id }) => {
            const [document, , ordinal] = id.split(".");
            return row.get(document, Number(ordinal)) as number;
          });
      },
      async close() {
        reader.close();
        feed.stop();
        await Promise.all([engine.preparer.close(), engine.drivers.close()]);
        await engine.storage.close();
      },
    };
  },
};
