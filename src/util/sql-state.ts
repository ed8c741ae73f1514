/** Returns the SQLSTATE of an error of a PostgreSQL server; `null` for another error, such as that of a connection. */
export function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}
