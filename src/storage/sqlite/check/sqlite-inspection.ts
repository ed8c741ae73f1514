import type { DatabaseProblem, ScopeProblem, StorageInspection } from "../../check/storage-inspection.js";
import { readOnlyError } from "../../read-only-error.js";
import { DatabaseThread } from "../database-thread.js";
import type { INDEX_PROCEDURES } from "../search-index/procedures.js";

/**
 * Opens an inspection in a thread of its own, so that searches go on. Repairs run in the writer.
 * @param writer `null` if the database is open for reading only: then repairs are refused.
 */
export async function openSqliteInspection(path: string, writer: DatabaseThread | null): Promise<StorageInspection> {
  const reader = new DatabaseThread();
  const run = <Result>(thread: DatabaseThread | null, verb: keyof typeof INDEX_PROCEDURES, argument: unknown) => {
    if (thread === null) return Promise.reject(readOnlyError(`index.${verb}`));
    return thread.request<Result>({ kind: "procedure", name: `index.${verb}`, argument });
  };
  try {
    await reader.open({ path, role: "reader" });
  } catch (error) {
    await reader.close();
    throw error;
  }
  return {
    checkDatabase: () => run<readonly DatabaseProblem[]>(reader, "checkDatabase", {}),
    checkScope: (scope) => run<readonly ScopeProblem[]>(reader, "checkScope", scope),
    checkUsage: () => reader.request({ kind: "procedure", name: "check.usage", argument: {} }),
    repairIndex: (repair) => run(writer, "reindex", repair),
    async repairScope(repair) {
      await run(writer, "repairScope", repair);
      while (repair.part === "keywords" && (await run<boolean>(writer, "continueKeywordRebuild", repair)));
    },
    close: () => reader.close(),
  };
}
