/** A value of a column or a parameter. */
export type SqlValue = string | number | bigint | Uint8Array | null;
