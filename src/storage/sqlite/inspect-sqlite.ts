import { DatabaseThread } from "./database-thread.js";
import type { OpenedDatabase } from "./thread-protocol.js";

export type { OpenedDatabase };

/**
 * Opens a database in memory, as a knowledge base opens its own, and says with what.
 *
 * @throws KnowledgeBaseError `unsupported` where no SQLite can be used here
 */
export async function inspectSqlite(): Promise<OpenedDatabase> {
  const thread = DatabaseThread.start();
  try {
    return await thread.open({ path: ":memory:", role: "writer", temporary: true });
  } finally {
    await thread.close();
  }
}
