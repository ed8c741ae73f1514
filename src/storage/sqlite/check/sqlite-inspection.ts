import type { ScopeProblem, StorageInspection } from "../../check/storage-inspection.js";
import { DatabaseThread } from "../database-thread.js";
import type { INDEX_PROCEDURES } from "../search-index/procedures.js";

/** Opens an inspection in a thread of its own, so that searches go on. Repairs run in the writer. */
export async function openSqliteInspection(path: string, writer: DatabaseThread): Promise<StorageInspection> {
  const reader = new DatabaseThread();
  const run = <Result>(thread: DatabaseThread, verb: keyof typeof INDEX_PROCEDURES, argument: unknown) =>
    thread.request<Result>({ kind: "procedure", name: `index.${verb}`, argument });
  try {
    await reader.open({ path, role: "reader" });
  } catch (error) {
    await reader.close();
    throw error;
  }
  return {
    checkDatabase: () => run<readonly string[]>(reader, "checkDatabase", {}),
    checkScope: (scope) => run<readonly ScopeProblem[]>(reader, "checkScope", scope),
    repairDatabase: () => run(writer, "reindex", {}),
    repairScope: (repair) => run(writer, "repairScope", repair),
    close: () => reader.close(),
  };
}
