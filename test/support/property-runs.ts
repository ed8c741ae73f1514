const TIMES = Number(process.env.LOREBASE_TEST_RUNS ?? 1);

/** How often a property is tried: so many times in the suite, and LOREBASE_TEST_RUNS times as often in campaigns. */
export function propertyRuns(inSuite: number): number {
  return inSuite * TIMES;
}
