import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it.each([
  ["IngestConfig", "src/types.ts"],
  ["HostingSettings", "src/resources/hosting-settings.ts"],
  ["HostingPatch", "src/resources/hosting-settings.ts"],
])("every field of %s has a doc comment", (name, path) => {
  const [, after = ""] = readFileSync(path, "utf8").split(new RegExp(`^export interface ${name}\\b.*$`, "m"));
  const lines = after.slice(0, after.indexOf("\n}")).split("\n");
  const fields = [...lines.keys()].filter((at) => /^ {2}readonly \w+\??:/.test(lines[at]!));
  expect(fields.length).toBeGreaterThan(0);
  const bare = fields.filter((at) => !lines[at - 1]?.endsWith("*/"));
  expect(bare.map((at) => lines[at]!.trim())).toEqual([]);
});
