import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dumpNow, knownDatabaseOf } from "./postgres-directories.js";

/** Everything that the database of a knowledge base's directory stores, by the name of the file or table. */
export function storedBytes(directory: string): ReadonlyMap<string, Buffer> {
  const database = knownDatabaseOf(directory);
  if (database) return dumpNow(database);
  const names = readdirSync(directory).filter((name) => name.startsWith("lorebase.db"));
  return new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
}
