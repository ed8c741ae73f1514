/** The table of all scopes' vectors. It may be in a database that other applications use too. */
export const TABLE = "lorebase_vectors";

/** The first number of the advisory lock for creating the table: the letters of "lore". The second is 0. */
export const LOCK_CLASS = 0x6c6f7265;

/**
 * The statements that create the table. Vectors have length 1, or 0 for zero vectors, and any number of dimensions.
 * The metadata are those of hosted stores: see `filterFields`.
 */
export const CREATE_TABLE: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS ${TABLE} (
     scope text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     document_id text COLLATE "C" NOT NULL,
     generation bigint NOT NULL,
     dimensions integer NOT NULL,
     embedding vector NOT NULL,
     tokens text[] NOT NULL,
     numbers jsonb NOT NULL,
     strings jsonb NOT NULL,
     PRIMARY KEY (scope, id)
   )`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_documents ON ${TABLE} (scope, document_id, generation)`,
  `CREATE INDEX IF NOT EXISTS ${TABLE}_tokens ON ${TABLE} USING gin (tokens)`,
];
