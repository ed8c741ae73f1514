/** A warning for each file that a document includes: included files are never followed. */
export function includeWarnings(names: readonly string[]): readonly string[] {
  return names.map((name) => `"${name}" is included by the file and was not read.`);
}
