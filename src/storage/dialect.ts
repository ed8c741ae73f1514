/** The few parts of SQL that engines spell differently. Arguments are SQL, not values. */
export interface Dialect {
  /** The text of a field of a JSON object that is stored as text; `null` if it has none. */
  jsonField(json: string, field: string): string;
  /** Whether a value is among those of a parameter, a JSON array of strings. */
  among(value: string): string;
  /** The greater one of two numbers. */
  greater(a: string, b: string): string;
}
