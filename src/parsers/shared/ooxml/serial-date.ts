const DAY_MS = 86_400_000;
/** Serial numbers past this are no dates: the year 10000 begins. */
const LAST_SERIAL = 2_958_466;
/** Serial 60 is the 29th of February 1900, which never was. */
const FALSE_LEAP_DAY = 60;

export interface DateParts {
  readonly date: boolean;
  readonly time: boolean;
  /** Whether day 0 is the first of January 1904. */
  readonly date1904: boolean;
}

/**
 * A spreadsheet's day number as ISO 8601: `2009-10-03`, with a time where it has one, or the time alone where only
 * that is shown of a number below one. Null for a number that is no date.
 */
export function dateText(serial: number, { date, time, date1904 }: DateParts): string | null {
  if (serial < 0 || serial >= LAST_SERIAL) return null;
  const days = Math.floor(serial);
  // Fractions of a day are inexact in binary, so that the last second may be a hair short; no less is ever shown.
  const ms = Math.floor(Math.round((serial - days) * DAY_MS) / 1000) * 1000;
  const clock = clockText(ms % DAY_MS);
  const fullDays = days + Math.floor(ms / DAY_MS);
  if (!date && fullDays === 0) return clock;
  if (!date1904 && fullDays === FALSE_LEAP_DAY) return time ? `1900-02-29 ${clock}` : "1900-02-29";
  const epoch = date1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, fullDays < FALSE_LEAP_DAY ? 31 : 30);
  const day = new Date(epoch + fullDays * DAY_MS).toISOString().slice(0, 10);
  return ms % DAY_MS === 0 && !time ? day : `${day} ${clock}`;
}

function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
