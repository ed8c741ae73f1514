/**
 * The version of the rules of parsing and chunking. Raise it with every change that gives any file other blocks or
 * chunks: unchanged documents are then processed again at the next ingest or sync. A test compares recorded digests of
 * small files of every format.
 */
export const PREPARATION_VERSION = 3;
