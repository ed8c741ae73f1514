/** The formats that workbooks refer to without defining them. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [1, "0"],
  [2, "0.00"],
  [3, "#,##0"],
  [4, "#,##0.00"],
  [9, "0%"],
  [10, "0.00%"],
  [11, "0.00E+00"],
  [14, "yyyy-mm-dd"],
  [15, "yyyy-mm-dd"],
  [16, "d-mmm"],
  [17, "mmm-yy"],
  [18, "h:mm"],
  [19, "h:mm:ss"],
  [20, "h:mm"],
  [21, "h:mm:ss"],
  [22, "yyyy-mm-dd h:mm"],
  [37, "#,##0"],
  [38, "#,##0"],
  [39, "#,##0.00"],
  [40, "#,##0.00"],
  [45, "h:mm:ss"],
  [46, "h:mm:ss"],
  [47, "h:mm:ss"],
]);

const DAY_MS = 86_400_000;

/** A cell's number as its format shows it; dates and times as ISO 8601, whatever their order in the sheet. */
export function formatNumber(value: number, formatId: number, custom: string | undefined, epoch1904: boolean): string {
  const whole = custom ?? BUILT_IN.get(formatId) ?? "General";
  const format = sectionFor(value, whole);
  const bare = format.replace(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]/gi, "");
  if (/[ymdhs]/i.test(bare) && !/general/i.test(bare)) return dateText(value, bare, epoch1904) ?? plain(value);
  if (bare.includes("%")) return `${fixed(value * 100, bare)}%`;
  if (/e[+-]/i.test(bare) || !/[0#?]/.test(bare) || bare.includes("/")) return plain(value);
  return fixed(value, bare);
}

/** Formats may differ for positive and negative numbers and zero. */
function sectionFor(value: number, format: string): string {
  const sections = format.split(";");
  if (value < 0 && sections.length > 1) return sections[1]!;
  if (value === 0 && sections.length > 2) return sections[2]!;
  return sections[0]!;
}

function fixed(value: number, format: string): string {
  const decimals = /\.([0#?]+)/.exec(format)?.[1] ?? "";
  const least = decimals.replace(/[#?]/g, "").length;
  const text = Math.abs(value).toFixed(Math.min(20, decimals.length));
  let [integer = "0", fraction = ""] = text.split(".");
  while (fraction.length > least && fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  if (/#,[#0]|0,0/.test(format)) integer = integer.replace(/\B(?=(\d{3})+$)/g, ",");
  const isZero = /^[0.,]*$/.test(integer + fraction);
  return `${value < 0 && !isZero ? "-" : ""}${integer}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Fifteen digits, as spreadsheets keep. */
function plain(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function dateText(serial: number, format: string, epoch1904: boolean): string | null {
  const hasDate = /[yd]/i.test(format) || /m{3,}/i.test(format);
  const hasTime = /[hs]/i.test(format);
  // Day 60 of the older epoch is a 29 February 1900, which there never was.
  const days = epoch1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial;
  const date = new Date(Math.round((days - 25_569) * 86_400) * 1000);
  if (serial < 0 || Number.isNaN(date.getTime()) || date.getTime() > 2_958_466 * DAY_MS) return null;
  const iso = date.toISOString();
  const time = /s/i.test(format) ? iso.slice(11, 19) : iso.slice(11, 16);
  if (hasDate) return hasTime ? `${iso.slice(0, 10)} ${time}` : iso.slice(0, 10);
  return hasTime ? time : null;
}
