import { existsSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import type { DatabaseAccess } from "./database-access.js";
import { openDirectory } from "./open-directory.js";
import type { OpenedPostgres } from "./postgres/open-postgres.js";
import { type DatabaseThreads, openThreads } from "./sqlite/open-threads.js";
import { openableDatabase } from "./sqlite/openable-database.js";

/** A database that was opened while the engine's modules were still loading. */
export type StartedDatabase = {
  /** The path of the engine's directory. */
  readonly path: string;
  /** Removes what is temporary: the directory, or a copy of the database. */
  remove(): Promise<void>;
} & ({ readonly threads: DatabaseThreads } | { readonly postgres: OpenedPostgres });

/**
 * Creates the engine's directory if it is missing, and migrates the database: the given one, or `lorebase.db` in the
 * directory, which is created. As the source of a transfer and with `readOnly`, both must exist, and nothing is changed.
 * @throws KnowledgeBaseError `not_found` if there is nothing to read
 */
export async function startDatabase(
  { directory, database }: DatabaseLocation,
  access: DatabaseAccess = "use",
): Promise<StartedDatabase> {
  assertUnbundled();
  if (access === "readOnly") return startReadOnly(directory);
  const file = join(directory, "lorebase.db");
  if (access === "source" && database === undefined && !existsSync(file))
    throw new KnowledgeBaseError("not_found", `There is no knowledge base in ${directory}.`);
  const { path, isTemporary, remove } =
    access === "source"
      ? { path: directory, isTemporary: false, remove: async () => {} }
      : await openDirectory(directory);
  try {
    if (database === undefined)
      return { path, remove, threads: await openThreads(join(path, "lorebase.db"), { isTemporary, access }) };
    const { openPostgres } = await import("./postgres/open-postgres.js");
    return { path, remove, postgres: await openPostgres(database, access) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Opens the database of an existing directory without writing to the directory. */
async function startReadOnly(directory: string): Promise<StartedDatabase> {
  const { file, remove } = await openableDatabase(directory);
  try {
    return { path: directory, remove, threads: await openThreads(file, { access: "readOnly" }) };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface DatabaseLocation {
  readonly directory: string;
  /** The URL of a PostgreSQL database. @default none */
  readonly database?: string | undefined;
}

/**
 * Checks that the package's thread files are next to this module.
 * @throws KnowledgeBaseError `unsupported`, with the setting that a bundler needs, if the module was moved, as by a
 * bundler
 */
function assertUnbundled(): void {
  if (hasThreadFile()) return;
  const message =
    "Lorebase's thread files are not next to its code, probably because the code was bundled. " +
    "Exclude the package lorebase from the bundle: " +
    'esbuild --external:lorebase; Vite ssr: { external: ["lorebase"] }; ' +
    'Next.js serverExternalPackages: ["lorebase"]; ' +
    "webpack externals; Rollup external.";
  throw new KnowledgeBaseError("unsupported", message);
}

function hasThreadFile(): boolean {
  try {
    return existsSync(new URL("./sqlite/thread.cjs", import.meta.url));
  } catch {
    // Modules in a CommonJS bundle have no URL.
    return false;
  }
}
