type CamelCaseKey<Key> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCaseKey<Rest> & string>}`
  : Key;

/** A row whose column names are in camel case. */
export type CamelCase<Row> = { readonly [Column in keyof Row as CamelCaseKey<Column>]: Row[Column] };

/** Converts the column names of a row to camel case. */
export function camelCase<Row extends object | undefined>(row: Row): Row extends object ? CamelCase<Row> : undefined;
export function camelCase(row: object | undefined): object | undefined {
  if (row === undefined) return undefined;
  const toCamelCase = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [toCamelCase(column), value]));
}
