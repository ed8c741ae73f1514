/**
 * What a database is opened for: `use`, or as the source or target of a transfer. Only a target may be unfinished. A
 * source must have the schema of this code, and isn't written to.
 */
export type DatabaseAccess = "use" | "source" | "target";
