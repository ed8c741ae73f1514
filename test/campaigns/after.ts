/** The one place where time passes by the clock: faults have to come at a moment that nobody chose. */
export function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
