/**
 * The version of the parsing and chunking rules. Raise it with every change that gives any file different blocks or
 * chunks: unchanged documents are then processed again at the next ingest or sync. A test detects such changes by
 * recorded digests of small files of every format.
 */
export const PREPARATION_VERSION = 11;
