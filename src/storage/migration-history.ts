import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";

/** One step to the next schema version. A released migration never changes: databases record the checksums. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * The lowest schema version whose code works with the database after this migration. Only PostgreSQL's processes may
   * have different versions. @default the version that this migration makes: no earlier code
   */
  readonly compatibleSince?: number;
}

/** A migration that a database records as applied. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly compatibleSince?: number | null;
}

/**
 * @throws KnowledgeBaseError `unsupported` if the database is too new for this code or has different migrations
 */
export function checkHistory(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  checkCompatibility(applied, migrations.length);
  for (const [index, row] of applied.slice(0, migrations.length).entries()) {
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

/**
 * Checks whether code that knows the first `supported` migrations works with a database.
 * @throws KnowledgeBaseError `unsupported` if a later migration needs newer code
 */
export function checkCompatibility(
  applied: readonly Pick<AppliedMigration, "version" | "compatibleSince">[],
  supported: number,
): void {
  const newer = applied.filter(({ version }) => version > supported);
  if (newer.every(({ version, compatibleSince }) => (compatibleSince ?? version) <= supported)) return;
  throw new KnowledgeBaseError(
    "unsupported",
    `The database has schema version ${applied.length}, but this version of lorebase supports only ` +
      `${supported}: upgrade lorebase to open it.`,
  );
}

export function checksum(migration: Migration): string {
  return createHash("sha256").update(migration.sql).digest("hex");
}
