const TIMES = Number(process.env.LOREBASE_TEST_RUNS ?? 1);

/** How often a property is tried: so many times in the suite, and ten times as often by npm run campaign:properties. */
export function propertyRuns(inSuite: number): number {
  return inSuite * TIMES;
}
