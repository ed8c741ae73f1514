/**
 * What a database is opened for: `use`, or as the source or target of a transfer. Only a target may be unfinished. A
 * source isn't written to. Both must have the schema of this code.
 */
export type DatabaseAccess = "use" | "source" | "target";
