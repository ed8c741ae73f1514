import { existsSync } from "node:fs";
import { CLIENTS, LAYERS } from "./layers.js";

/** The maximum nesting of folders in `src`. */
const MAX_DEPTH = 4;

/**
 * Converts the table of layers to lint rules for `biome.layers.json`. The linter sees only the text of an import, so
 * each depth has its own rules. `npx vitest run test/layers.test.ts -u` writes the file.
 */
export function layerRules(): string {
  const rows = Object.values(LAYERS).flat();
  const overrides = rows.flatMap((units, row) =>
    units.flatMap((unit) => {
      const allowed = new Set([unit, ...importable(unit, rows.slice(row + 1).flat())]);
      const forbidden = rows.flat().filter((other) => !allowed.has(other));
      return globsOf(unit).map(([includes, prefix]) =>
        override(
          unit,
          includes,
          forbidden.map((other) => prefix + pattern(other)),
        ),
      );
    }),
  );
  // One rule per line keeps diffs readable.
  return `{ "overrides": [\n${overrides.map((rule) => JSON.stringify(rule)).join(",\n")}\n] }\n`;
}

function importable(unit: string, below: readonly string[]): readonly string[] {
  if (!CLIENTS.parts.includes(unit)) return below;
  const open = [...CLIENTS.parts, ...CLIENTS.surface, ...LAYERS.base!.flat(), ...LAYERS.ground!.flat()];
  return below.filter((other) => open.includes(other));
}

/** The globs of a unit's files, each with the relative path from there to `src`. */
function globsOf(unit: string): readonly (readonly [string, string])[] {
  if (!isFolder(unit)) return [[`src/${unit}.ts`, "./"]];
  return Array.from({ length: MAX_DEPTH }, (_, depth) => [
    `src/${unit}/${"*/".repeat(depth)}*.{ts,tsx}`,
    "../".repeat(depth + 1),
  ]);
}

function pattern(unit: string): string {
  return isFolder(unit) ? `${unit}/**` : `${unit}.js`;
}

function isFolder(unit: string): boolean {
  return existsSync(`src/${unit}`);
}

function override(unit: string, includes: string, group: readonly string[]) {
  const message = `${unit} may import from the layers below it only: see build/layers.ts.`;
  const noRestrictedImports = { level: "error", options: { patterns: [{ group, message }] } };
  return { includes: [includes], linter: { rules: { style: { noRestrictedImports } } } };
}
