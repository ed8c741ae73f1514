/**
 * The names of SQLite's result codes, without `SQLITE_`, by the number of the primary code. The n-th extended code has
 * the number `primary + n * 256` (sqlite.org/rescode.html). An empty name stands for a number that SQLite doesn't use.
 */
const CODE_NAMES: Readonly<Record<number, readonly [primary: string, ...extended: string[]]>> = {
  1: ["ERROR", "MISSING_COLLSEQ", "RETRY", "SNAPSHOT"],
  2: ["INTERNAL"],
  3: ["PERM"],
  4: ["ABORT", "", "ROLLBACK"],
  5: ["BUSY", "RECOVERY", "SNAPSHOT", "TIMEOUT"],
  6: ["LOCKED", "SHAREDCACHE", "VTAB"],
  7: ["NOMEM"],
  8: ["READONLY", "RECOVERY", "CANTLOCK", "ROLLBACK", "DBMOVED", "CANTINIT", "DIRECTORY"],
  9: ["INTERRUPT"],
  10: [
    "IOERR",
    ...["READ", "SHORT_READ", "WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "FSTAT", "UNLOCK", "RDLOCK", "DELETE"],
    ...["BLOCKED", "NOMEM", "ACCESS", "CHECKRESERVEDLOCK", "LOCK", "CLOSE", "DIR_CLOSE", "SHMOPEN", "SHMSIZE"],
    ...["SHMLOCK", "SHMMAP", "SEEK", "DELETE_NOENT", "MMAP", "GETTEMPPATH", "CONVPATH", "VNODE", "AUTH"],
    ...["BEGIN_ATOMIC", "COMMIT_ATOMIC", "ROLLBACK_ATOMIC", "DATA", "CORRUPTFS", "IN_PAGE"],
  ],
  11: ["CORRUPT", "VTAB", "SEQUENCE", "INDEX"],
  12: ["NOTFOUND"],
  13: ["FULL"],
  14: ["CANTOPEN", "NOTEMPDIR", "ISDIR", "FULLPATH", "CONVPATH", "DIRTYWAL", "SYMLINK"],
  15: ["PROTOCOL"],
  17: ["SCHEMA"],
  18: ["TOOBIG"],
  19: [
    "CONSTRAINT",
    ...["CHECK", "COMMITHOOK", "FOREIGNKEY", "FUNCTION", "NOTNULL", "PRIMARYKEY", "TRIGGER", "UNIQUE", "VTAB"],
    ...["ROWID", "PINNED", "DATATYPE"],
  ],
  20: ["MISMATCH"],
  21: ["MISUSE"],
  22: ["NOLFS"],
  23: ["AUTH"],
  25: ["RANGE"],
  26: ["NOTADB"],
};

/**
 * Returns the SQLite result code, such as `SQLITE_CONSTRAINT_UNIQUE`, of an error of better-sqlite3 or node:sqlite;
 * `null` for any other error.
 */
export function sqliteCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  if (error.code.startsWith("SQLITE_")) return error.code;
  if (error.code !== "ERR_SQLITE_ERROR" || !("errcode" in error)) return null;
  return codeName(Number(error.errcode));
}

function codeName(code: number): string {
  const [primary = "ERROR", ...extended] = CODE_NAMES[code & 0xff] ?? [];
  const name = extended[(code >> 8) - 1];
  return name ? `SQLITE_${primary}_${name}` : `SQLITE_${primary}`;
}

/** Returns whether SQLite found content in its file that can't be what was written. */
export function isCorrupt(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(sqliteCodeOf(error) ?? "");
}
