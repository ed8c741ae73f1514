/**
 * The requested wait in milliseconds: `retry-after-ms` (some vendors), else `Retry-After` in seconds or as a date (RFC
 * 9110, section 10.2.3). `undefined` without either.
 *
 * @param headers By lower-case names.
 */
export function retryAfterMs(headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const given = headers["retry-after"];
  if (given === undefined) return undefined;
  const seconds = Number(given);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
