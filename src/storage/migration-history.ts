import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";

/** One step to the next schema version. A released migration never changes: databases record the checksums. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** A migration that a database records as applied. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** @throws KnowledgeBaseError `unsupported` if the database is newer than this code or has different migrations */
export function checkHistory(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  if (applied.length > migrations.length) {
    throw new KnowledgeBaseError(
      "unsupported",
      `The database has schema version ${applied.length}, but this version of lorebase supports only ` +
        `${migrations.length}: upgrade lorebase to open it.`,
    );
  }
  for (const [index, row] of applied.entries()) {
    const known = migrations[index]!;
    if (row.checksum !== checksum(known)) {
      throw new KnowledgeBaseError(
        "unsupported",
        `Migration ${row.version} of the database (${row.name}) differs from that of this version of lorebase ` +
          `(${known.name}): open the database with the version that created it.`,
      );
    }
  }
}

/** @throws KnowledgeBaseError `unsupported` unless the database has the schema of this code */
export function requireCurrent(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  checkHistory(applied, migrations);
  if (applied.length === migrations.length) return;
  const remedy =
    applied.length > migrations.length
      ? "upgrade lorebase."
      : "open it once with this version, for example with `lorebase namespaces`, which updates it.";
  const message = `The database has schema version ${applied.length}, this version of lorebase ${migrations.length}: ${remedy}`;
  throw new KnowledgeBaseError("unsupported", message);
}

export function checksum(migration: Migration): string {
  return createHash("sha256").update(migration.sql).digest("hex");
}
