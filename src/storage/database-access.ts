/**
 * What a database is opened for: `use`, `readOnly`, or as the source or target of a transfer. Only a target may be
 * unfinished. Neither a source nor a database with `readOnly` is written to. Except for `use`, the database must have the
 * schema of this code, which a target gets when it is opened.
 */
export type DatabaseAccess = "use" | "source" | "target" | "readOnly";
