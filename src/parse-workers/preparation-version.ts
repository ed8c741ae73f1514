/**
 * Says which rules of parsing and chunking a document was made by. Raise it with every change after which a file gives other blocks or other
 * chunks than before: documents whose sources are what they were are then made anew when they are next ingested again or synced. A test
 * holds recorded digests of what small files of every format give against it.
 */
export const PREPARATION_VERSION = 3;
