import { KnowledgeBaseError } from "../errors.js";

// While a namespace is embedded again, and until the old vectors are discarded, its chunks have vectors in two sets:
// those that searches use, and those of the other model or vector store. One set has an even number and the other an
// odd one. A number is never used again in its namespace, so a writer that is late can't mistake a later set for its
// own.

/** Returns the table of a vector set. */
export function vectorTable(vectorSet: number): "vectors" | "odd_vectors" {
  return vectorSet % 2 === 0 ? "vectors" : "odd_vectors";
}

/**
 * Returns the table with a row for each vector of a set: the vectors themselves, or markers of those in a vector store.
 * A row has the vector's `chunk_seq` and `scope_id`.
 */
export function vectorKeyTable(vectorSet: number, isInStore: boolean) {
  const isEven = vectorSet % 2 === 0;
  if (!isInStore) return vectorTable(vectorSet);
  return isEven ? "store_vectors" : "odd_store_vectors";
}

/**
 * SQL that finds a row if a namespace keeps a set of vectors that its searches don't use. Takes the namespace and the
 * set.
 */
export const KEPT_VECTOR_SET = `SELECT 1 AS kept FROM reembeddings
  WHERE namespace_id = ? AND vector_set = ? AND state <> 'discarding'`;

const SET_GONE_MESSAGE =
  "The embedding model or the vector store was changed, and the previous vectors are gone: search again.";

/** The error of a search in a set that has been discarded. */
export function vectorSetGoneError(): KnowledgeBaseError {
  return new KnowledgeBaseError("conflict", SET_GONE_MESSAGE, { retryable: true });
}

/** Returns whether an error means that a search began with a set of vectors that has been discarded. */
export function isVectorSetGone(error: unknown): boolean {
  return KnowledgeBaseError.is(error, "conflict") && error.message === SET_GONE_MESSAGE;
}

const SET_CHANGED_MESSAGE =
  "The embedding model or the vector store was changed while the document was embedded. It is embedded again.";

/** The error of a publication whose vectors are of a set that searches no longer use. */
export function setChangedError(): KnowledgeBaseError {
  return new KnowledgeBaseError("conflict", SET_CHANGED_MESSAGE, { retryable: true });
}

/** Returns whether an error means that searches use another set than that of the vectors. */
export function isSetChanged(error: unknown): boolean {
  return KnowledgeBaseError.is(error, "conflict") && error.message === SET_CHANGED_MESSAGE;
}
