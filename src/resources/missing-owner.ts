import { KnowledgeBaseError } from "../errors.js";
import { notFound } from "../storage/records/access.js";
import { SqliteFailure } from "../storage/sqlite/thread-protocol.js";

/** What a write ends with whose organization does not exist, or has just been deleted; any other failure is passed on. */
export function missingOwner(organizationId: string): (error: unknown) => never {
  return (error) => {
    const { cause } = KnowledgeBaseError.is(error) ? error : {};
    if (!(cause instanceof SqliteFailure) || cause.code !== "SQLITE_CONSTRAINT_FOREIGNKEY") throw error;
    throw notFound("organization", organizationId);
  };
}
