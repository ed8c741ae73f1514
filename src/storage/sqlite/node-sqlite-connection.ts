import type { Connection } from "./connection.js";
import type { DatabaseSync, NodeSqliteBackupOptions, NodeSqliteModule } from "./node-sqlite-module.js";
import { NodeSqliteStatement } from "./node-sqlite-statement.js";

/** Adapts a connection of node:sqlite to better-sqlite3's interface. Blobs are `Uint8Array` instead of `Buffer`. */
export class NodeSqliteConnection implements Connection {
  readonly name: string;
  readonly memory: boolean;
  readonly #db: DatabaseSync;
  /** Whether node:sqlite truncates text at the first NUL character, as in Node 22. */
  readonly #truncatesText: boolean;

  constructor(
    { DatabaseSync }: NodeSqliteModule,
    path: string,
    { readonly, timeout }: { readonly readonly: boolean; readonly timeout: number },
  ) {
    this.name = path;
    this.memory = path === ":memory:";
    this.#db = new DatabaseSync(path, { readOnly: readonly, timeout, allowExtension: true, defensive: true });
    const { text } = this.#db.prepare("SELECT 'a' || char(0) AS text").get() as { text: string };
    this.#truncatesText = text.length === 1;
  }

  get open(): boolean {
    return this.#db.isOpen;
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  prepare(sql: string): NodeSqliteStatement {
    return new NodeSqliteStatement(this.#db.prepare(sql), { truncatesText: this.#truncatesText });
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  pragma(text: string, { simple = false }: { readonly simple?: boolean } = {}): unknown {
    const statement = this.prepare(`PRAGMA ${text}`);
    return simple ? statement.pluck().get() : statement.all();
  }

  function(
    name: string,
    options: { readonly deterministic: boolean },
    implementation: (...values: unknown[]) => unknown,
  ): void {
    this.#db.function(name, options, implementation);
  }

  loadExtension(path: string): void {
    this.#db.loadExtension(path);
  }

  /** Copies the database to a new file. */
  async copy(module: NodeSqliteModule, target: string, options: NodeSqliteBackupOptions): Promise<void> {
    await module.backup(this.#db, target, options);
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
