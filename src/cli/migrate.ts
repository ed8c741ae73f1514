import type { KnowledgeBaseLocation, Migration, MigrationSummary } from "../index.js";
import { formatColumns, formatCount } from "./columns.js";
import type { Command, Invocation } from "./command.js";
import { environmentOptions } from "./environment-options.js";
import { resolveDirectory } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { createProgress } from "./progress.js";
import { parseBlobs } from "./storage-flags.js";
import { UsageError } from "./usage-error.js";

/** Copies a knowledge base from a directory to PostgreSQL, or back. */
export const migrateCommand: Command = {
  name: "migrate",
  summary: "copy a knowledge base from a directory to PostgreSQL, or back",
  flags: ["to", ...STORAGE_FLAGS, "keep-blobs"],
  async run(invocation) {
    const { terminal } = invocation;
    const migration = parseMigration(invocation);
    const { KnowledgeBase } = await import("../index.js");
    const progress = createProgress(terminal);
    try {
      const summary = await KnowledgeBase.migrate(migration, {
        signal: terminal.signal,
        onProgress: ({ phase, ...counts }) => progress.update({ label: phase, ...counts }),
      });
      return { json: summary, text: describeSummary(summary), exitCode: summary.files.damaged.length > 0 ? 1 : 0 };
    } catch (error) {
      progress.end();
      if (terminal.signal.aborted) terminal.err("Stopped. The same command continues the migration.\n");
      throw error;
    } finally {
      progress.end();
    }
  },
};

/**
 * One side of a migration is a directory, the other a database with its bucket, if it has one. `--to` is the target; the
 * other options say which directory, which database and which bucket.
 */
function parseMigration({ flags, terminal }: Invocation): Migration {
  const { to } = flags;
  if (to === undefined) throw new UsageError("migrate needs --to postgres://… or --to <directory>");
  const toDatabase = /^postgres(?:ql)?:/.test(to);
  const database = toDatabase ? to : (flags.database ?? terminal.env.LOREBASE_DATABASE);
  if (toDatabase && flags.database !== undefined)
    throw new UsageError("--database is the source of a migration to a directory; the target here is --to");
  if (!database)
    throw new UsageError("migrate to a directory needs the source, as --database postgres://… or LOREBASE_DATABASE");
  const directory = resolveDirectory(flags, terminal);
  const bucket = parseBlobs(flags, terminal);
  if (flags["keep-blobs"] && !bucket) throw new UsageError("--keep-blobs needs --blobs or LOREBASE_BLOBS");
  const { masterKey } = environmentOptions(terminal);
  const keys = masterKey === undefined ? {} : { masterKey };
  const inDirectory: KnowledgeBaseLocation = {
    directory: toDatabase ? directory : to,
    ...(flags["keep-blobs"] && bucket && { blobs: bucket }),
    ...keys,
  };
  const inDatabase: KnowledgeBaseLocation = {
    directory,
    database,
    sharedDirectory: flags["shared-directory"] === true,
    ...(bucket && { blobs: bucket }),
    ...keys,
  };
  return toDatabase ? { from: inDirectory, to: inDatabase } : { from: inDatabase, to: inDirectory };
}

function describeSummary(summary: MigrationSummary): string {
  const { tables, rows, files, secrets, vectorStores, searches, resumed } = summary;
  const filled = tables.filter((table) => table.rows > 0);
  return [
    formatColumns(filled.map((table) => [table.name, table.rows.toLocaleString("en"), table.digest.slice(0, 16)])),
    `${resumed ? "Finished the migration" : "Migrated"}: ${rows.toLocaleString("en")} rows and ` +
      `${formatCount(files.count, "file")} are equal, as are ${formatCount(secrets, "secret")} and the hits of ` +
      `${searches} searches.`,
    ...vectorStores.map(
      ({ provider, namespaces }) =>
        `The vectors of ${formatCount(namespaces, "namespace")} stay in ${provider}: they were not copied, and searches ` +
        "in the target need its settings.",
    ),
    ...files.damaged.map((key) => `File ${key} is missing or damaged in the source.`),
  ].join("\n");
}
