/** Returns a Markdown code fence longer than any run of backticks in the code. */
export function fenceFor(code: string): string {
  let longest = 2;
  for (const run of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  return "`".repeat(longest + 1);
}
