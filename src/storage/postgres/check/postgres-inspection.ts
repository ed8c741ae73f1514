import { checkUsage } from "../../check/check-usage.js";
import type { StorageInspection } from "../../check/storage-inspection.js";
import { PostgresDatabase } from "../postgres-database.js";
import { checkScope } from "./check-scope.js";
import { repairScope } from "./repair-scope.js";

/**
 * Opens an inspection with connections of its own, so that the writes of this process go on. The database's own files are
 * the server's to check.
 */
export async function postgresInspection(url: string): Promise<StorageInspection> {
  const database = await PostgresDatabase.open(url, { answerMs: null });
  return {
    checkDatabase: async () => [],
    checkScope: (scope) => database.read((tx) => checkScope(tx, scope)),
    checkUsage: () => database.read(checkUsage),
    // No check names one.
    repairIndex: async () => {},
    repairScope: (repair) => repairScope(database, repair),
    close: () => database.close(),
  };
}
