/** The parts of SQL that differ between engines. Arguments are SQL, not values. */
export interface Dialect {
  /** A field of a JSON object that is stored as text; `null` if it is absent. */
  jsonField(json: string, field: string): string;
  /** Whether a value is in a parameter, which is a JSON array of strings. */
  among(value: string): string;
  /** The greater of two numbers. */
  greater(a: string, b: string): string;
}
