import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";

// The file format of SQLite: sqlite.org/fileformat2.html#the_freelist and #ptrmap.
const FIRST_TRUNK_OFFSET = 32;
const TRUNK_LEAVES_OFFSET = 8;
const POINTER_MAP_PAGE = 2;
const POINTER_MAP_ENTRY_BYTES = 5;

/** Enters a page of the table `document_texts` that is in use in the list of free pages of a closed database. */
export function damageFreelist(path: string): void {
  changeFile(path, ({ bytes, pageBytes, leaf }) => {
    const trunk = bytes.readUInt32BE(FIRST_TRUNK_OFFSET);
    if (trunk === 0) throw new Error(`${path} has no free pages.`);
    const offset = (trunk - 1) * pageBytes;
    bytes.writeUInt32BE(leaf, offset + TRUNK_LEAVES_OFFSET);
  });
}

/** Changes the parent of a page of the table `document_texts` in the pointer map of a closed database. */
export function damagePointerMap(path: string): void {
  changeFile(path, ({ bytes, pageBytes, leaf }) => {
    const entry = (POINTER_MAP_PAGE - 1) * pageBytes + (leaf - POINTER_MAP_PAGE - 1) * POINTER_MAP_ENTRY_BYTES;
    bytes.writeUInt32BE(bytes.readUInt32BE(entry + 1) + 1, entry + 1);
  });
}

/** Removes the rows of a table from an index of a closed database, but those that the SQL condition names. */
export function shortenIndex(path: string, index: string, kept: string): void {
  const setDefinition = (suffix: string) => (db: Database.Database) => {
    db.pragma("writable_schema = ON");
    const sql = `UPDATE sqlite_schema SET sql = replace(sql, ' WHERE ${kept}', '') || '${suffix}' WHERE name = ?`;
    db.prepare(sql).run(index);
  };
  changeUnsafely(path, setDefinition(` WHERE ${kept}`));
  changeUnsafely(path, (db) => db.exec(`REINDEX "${index}"`));
  changeUnsafely(path, setDefinition(""));
}

/** Overwrites a part of a keyword table's words in a closed database. */
export function damageKeywords(path: string, scopeId: number): void {
  changeUnsafely(path, (db) => {
    const sql = `UPDATE keywords_${scopeId}_data SET block = zeroblob(length(block)) WHERE id > 10`;
    if (db.prepare(sql).run().changes === 0) throw new Error(`keywords_${scopeId} has no words.`);
  });
}

/** Uses a connection that may change SQLite's own tables, and leave references to missing rows. */
export function changeUnsafely(path: string, change: (db: Database.Database) => void): void {
  const db = new Database(path);
  db.unsafeMode();
  db.pragma("foreign_keys = OFF");
  change(db);
  db.close();
}

interface DatabaseFile {
  readonly bytes: Buffer;
  readonly pageBytes: number;
  /** The number of a leaf of the table `document_texts`. */
  readonly leaf: number;
}

function changeFile(path: string, change: (file: DatabaseFile) => void): void {
  const db = new Database(path);
  // Leaves free pages in the file.
  db.exec("CREATE TABLE freed (content)");
  db.exec("INSERT INTO freed SELECT zeroblob(3000) FROM (SELECT 1 FROM chunks LIMIT 40)");
  db.exec("DROP TABLE freed");
  db.pragma("wal_checkpoint(TRUNCATE)");
  const leaf = db
    .prepare("SELECT pageno FROM dbstat WHERE name = 'document_texts' AND pagetype = 'leaf' LIMIT 1")
    .pluck()
    .get() as number;
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  db.close();
  const bytes = readFileSync(path);
  change({ bytes, pageBytes, leaf });
  writeFileSync(path, bytes);
}
