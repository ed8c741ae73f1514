import { Analyzer } from "../../../text-analysis/analyzer.js";
import { Ranking } from "../../keywords/ranking.js";
import type { SearchedScope } from "../search-index/find-scope.js";
import type { Statements } from "../statements.js";
import { KeywordIndex } from "./keyword-index.js";

/**
 * The maximum size of the indexes of one connection. The index in use is always kept; if it alone is larger, terms are
 * evicted from it.
 */
const MAX_BYTES = 256 * 1024 * 1024;
/** The maximum number of indexes of one connection, since each has temporary tables. */
const MAX_SCOPES = 64;

/** The keyword indexes of the scopes that a connection has searched recently. */
export class KeywordIndexes {
  readonly ranking = new Ranking();
  readonly analyzer = new Analyzer();
  readonly #db: Statements;
  /** Indexes by scope id, the least recently used first. */
  readonly #indexes = new Map<number, KeywordIndex>();

  private constructor(db: Statements) {
    this.#db = db;
  }

  /** Returns the indexes of a connection. */
  static of(db: Statements): KeywordIndexes {
    const indexes = indexesByConnection.get(db) ?? new KeywordIndexes(db);
    indexesByConnection.set(db, indexes);
    return indexes;
  }

  /** Returns a scope's index, and builds or updates it to match the current snapshot. */
  index(scope: SearchedScope): KeywordIndex {
    let index = this.#indexes.get(scope.id);
    this.#indexes.delete(scope.id);
    if (index !== undefined && !index.update(scope)) {
      index.close();
      index = undefined;
    }
    index ??= new KeywordIndex(this.#db, this.analyzer, scope);
    this.#indexes.set(scope.id, index);
    this.#evict(index);
    return index;
  }

  #evict(current: KeywordIndex): void {
    let bytes = 0;
    for (const index of this.#indexes.values()) bytes += index.bytes;
    for (const [id, index] of this.#indexes) {
      if (index === current || (bytes <= MAX_BYTES && this.#indexes.size <= MAX_SCOPES)) break;
      index.close();
      this.#indexes.delete(id);
      bytes -= index.bytes;
    }
    current.shrink(MAX_BYTES);
  }
}

const indexesByConnection = new WeakMap<Statements, KeywordIndexes>();
