/** The oldest version of pgvector that can be used: the first with iterative index scans. */
export const MIN_VERSION = "0.8";

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor, minMinor] = MIN_VERSION.split(".").map(Number) as [number, number];
  return major < minMajor || (major === minMajor && minor < minMinor);
}
