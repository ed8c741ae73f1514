import { createRequire } from "node:module";

/** How we introduce ourselves: robots.txt addresses us by what stands before the slash. */
export function userAgent(): string {
  const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
  return `Lorebase/${version}`;
}
