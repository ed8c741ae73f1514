import { openTestDatabase, POSTGRES_MISSING, type TestDatabase } from "../test/support/postgres.js";
import { setup, teardown } from "../test/support/postgres-server.js";

/** Runs a benchmark with an empty PostgreSQL database, which is dropped afterwards. @throws if there is no server */
export async function withTestDatabase<Result>(run: (database: TestDatabase) => Promise<Result>): Promise<Result> {
  setup();
  try {
    const database = await openTestDatabase();
    if (!database) throw new Error(POSTGRES_MISSING);
    try {
      return await run(database);
    } finally {
      await database.drop();
    }
  } finally {
    await teardown();
  }
}
