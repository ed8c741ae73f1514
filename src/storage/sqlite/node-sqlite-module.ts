import type { SqlValue } from "../sql-value.js";

// The part of node:sqlite that Lorebase uses. It is declared here because the types of Node 20 lack node:sqlite.

export interface NodeSqliteModule {
  readonly DatabaseSync: new (path: string, options: NodeSqliteOptions) => DatabaseSync;
  backup(source: DatabaseSync, path: string, options: NodeSqliteBackupOptions): Promise<unknown>;
}

export interface NodeSqliteOptions {
  readonly readOnly: boolean;
  /** How long to wait for a lock, in milliseconds. */
  readonly timeout: number;
  readonly allowExtension: boolean;
  /** Protects the shadow tables of FTS5, as better-sqlite3 does. Node 22 ignores this option. */
  readonly defensive: boolean;
}

export interface NodeSqliteBackupOptions {
  /** The number of pages of one step. */
  readonly rate: number;
  /** Called after each step but the last. */
  progress(): void;
}

export interface DatabaseSync {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  function(
    name: string,
    options: { readonly deterministic: boolean },
    implementation: (...values: unknown[]) => unknown,
  ): void;
  loadExtension(path: string): void;
  close(): void;
}

export interface StatementSync {
  all(...parameters: SqlValue[]): unknown[];
  get(...parameters: SqlValue[]): unknown;
  run(...parameters: SqlValue[]): { readonly changes: number | bigint };
  iterate(...parameters: SqlValue[]): IterableIterator<unknown>;
  setReturnArrays(enabled: boolean): void;
}
