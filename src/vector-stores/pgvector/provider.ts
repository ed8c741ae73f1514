import type { Provider } from "../../interfaces/provider.js";
import type { VectorStore } from "../../interfaces/vector-store.js";
import { managedProvider } from "../hosted/managed-provider.js";
import { postgresSessions } from "./postgres-sessions.js";
import { pgvectorStore } from "./vector-store.js";

/** The database of `MANAGED_PGVECTOR`. */
export interface PgvectorAccount {
  /** The URL of a PostgreSQL database with pgvector: `postgres://user:password@host/name`, with parameters of `pg`. */
  readonly url: string;
}

/**
 * Creates the provider `MANAGED_PGVECTOR`, for vectors in a PostgreSQL database.
 * @param onWarning Called if an index can't be created.
 */
export function managedPgvectorProvider(
  account: PgvectorAccount,
  onWarning: (message: string) => void,
): Provider<{ readonly provider: string }, VectorStore> {
  return managedProvider({
    provider: "MANAGED_PGVECTOR",
    option: "managed.pgvector: { url }",
    account,
    open: async (provider, { url }) => pgvectorStore({ provider, sessions: await postgresSessions(url), onWarning }),
  });
}
