import type { StorageInspection } from "../../check/storage-inspection.js";
import type { IndexDatabase } from "../search-index/index-database.js";
import { checkScope } from "./check-scope.js";
import { repairScope } from "./repair-scope.js";

/** Creates an inspection. The database's own files are the server's to check. */
export function postgresInspection(database: IndexDatabase): StorageInspection {
  return {
    checkDatabase: async () => [],
    checkScope: (scope) => database.read((tx) => checkScope(tx, scope)),
    repairDatabase: async () => {},
    repairScope: (repair) => database.write((tx) => repairScope(tx, repair)),
    close: async () => {},
  };
}
