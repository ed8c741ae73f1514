import { beforeEach, it } from "vitest";
import { ON_POSTGRES } from "./postgres-directories.js";

type Test = () => unknown;

/**
 * `it` for a test of what only a directory with SQLite has: `onlySqlite("needs secret.key")("opens without …", …)`.
 * With LOREBASE_TEST_ENGINE=postgres the test is skipped, and the reason is printed after the run.
 */
export function onlySqlite(reason: string): (name: string, test: Test) => void {
  if (!ON_POSTGRES) return (name, test) => it(name, test);
  return (name) => it(name, ({ skip }) => skip(`only SQLite: ${reason}`));
}

/** The same for all tests of the file or of the `describe` which calls this. */
export function onlySqliteHere(reason: string): void {
  if (ON_POSTGRES) beforeEach(({ skip }) => skip(`only SQLite: ${reason}`));
}
