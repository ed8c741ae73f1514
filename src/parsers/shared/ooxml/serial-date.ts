const DAY_MS = 86_400_000;
/** The first serial number that is not a date: the year 10000, or 10004 if day 0 is in 1904. */
const FIRST_INVALID_SERIAL = 2_958_466;
/** Serial number 60 is 29 February 1900, which did not exist. */
const FALSE_LEAP_DAY_SERIAL = 60;

export interface DateFormat {
  readonly hasDate: boolean;
  readonly hasTime: boolean;
  /** Whether day 0 is 1 January 1904. */
  readonly usesEpoch1904: boolean;
}

/**
 * Formats a spreadsheet's serial number as `2009-10-03`, as `2009-10-03 14:30:00` with a time of day, or as only the
 * time if the number is below one and its format has no date. Returns `null` if the number isn't a valid date.
 */
export function dateText(serial: number, { hasDate, hasTime, usesEpoch1904 }: DateFormat): string | null {
  if (serial < 0 || serial >= FIRST_INVALID_SERIAL) return null;
  const days = Math.floor(serial);
  // Fractions of a day are inexact in binary: rounding to milliseconds first avoids a result that is one second short.
  const ms = Math.floor(Math.round((serial - days) * DAY_MS) / 1000) * 1000;
  const clock = clockOf((ms % DAY_MS) / 1000);
  const fullDays = days + Math.floor(ms / DAY_MS);
  if (!hasDate && fullDays === 0) return clock;
  if (!usesEpoch1904 && fullDays === FALSE_LEAP_DAY_SERIAL) return hasTime ? `1900-02-29 ${clock}` : "1900-02-29";
  const epoch = usesEpoch1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, fullDays < FALSE_LEAP_DAY_SERIAL ? 31 : 30);
  const day = new Date(epoch + fullDays * DAY_MS).toISOString().slice(0, 10);
  return ms % DAY_MS === 0 && !hasTime ? day : `${day} ${clock}`;
}

/** Formats seconds since midnight. Called for each cell, it takes a fraction of the time that a `Date` does. */
function clockOf(seconds: number): string {
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(":");
}

function twoDigits(part: number): string {
  return part < 10 ? `0${part}` : `${part}`;
}
