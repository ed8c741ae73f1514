/** A timestamp before a paragraph: `mm:ss`, from an hour on `hh:mm:ss`. */
export function timestamp(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  if (whole >= 3600) parts.unshift(Math.floor(whole / 3600));
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
