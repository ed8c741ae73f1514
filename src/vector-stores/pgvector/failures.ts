import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { sqlStateOf } from "../../util/sql-state.js";

/** Conflicts, broken or refused connections, shutdown and start of the server, and cancelled statements. */
const TEMPORARY = /^(?:40001|40P01|55P03|57014|57P0.|08...|53...|25P03)$/;

/** Converts an error of the server or its connection. It is worth another attempt unless the server refuses for good. */
export function toStoreError(error: unknown, address: string): KnowledgeBaseError {
  if (KnowledgeBaseError.is(error)) return error;
  const code = sqlStateOf(error);
  const message = `pgvector at ${address} failed: ${getErrorMessage(error)}`;
  return new KnowledgeBaseError("store_failed", message, {
    retryable: code === null || TEMPORARY.test(code),
    cause: error,
  });
}
