import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { toStoreError } from "#dist/vector-stores/pgvector/failures.js";
import type { Session, Sessions } from "../../src/vector-stores/pgvector/sessions.js";

/** PostgreSQL with pgvector in this process, which takes seconds and 400 MB to start. It has one connection. */
export class PgvectorServer {
  readonly #database: PGlite;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(database: PGlite) {
    this.#database = database;
  }

  static async start(): Promise<PgvectorServer> {
    return new PgvectorServer(await PGlite.create({ extensions: { vector } }));
  }

  /** The connections of a store. They are one, whose users take turns. */
  sessions(): Sessions {
    const withConnection: Sessions["withConnection"] = async (work, { signal } = {}) => {
      signal?.throwIfAborted();
      const turn = this.#last
        .then(() => work(this.session))
        .catch((error) => Promise.reject(toStoreError(error, "PGlite")));
      this.#last = turn.catch(() => {});
      return turn;
    };
    return { address: "postgres://pglite", withConnection, withOwnConnection: withConnection, close: async () => {} };
  }

  /** For statements of a test's own. */
  readonly session: Session = {
    query: async <Row>(sql: string, parameters: readonly unknown[] = []) => {
      if (parameters.length === 0) return (await this.#database.exec(sql)).at(-1)!.rows as Row[];
      return (await this.#database.query<Row>(sql, [...parameters])).rows;
    },
  };

  /** Removes all vectors and their indexes. */
  async empty(): Promise<void> {
    await this.#database.exec("DROP TABLE IF EXISTS lorebase_vectors");
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
