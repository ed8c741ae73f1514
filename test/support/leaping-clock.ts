/** A clock that is on by so many milliseconds whenever it is looked at: a retry is due at the next look. */
export function leapingClock(leap = 5000): () => Date {
  let now = Date.UTC(2026, 0, 1);
  return () => {
    now += leap;
    return new Date(now);
  };
}
