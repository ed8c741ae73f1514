import { unionOf } from "./frame.js";
import { joinLines } from "./join-lines.js";
import type { PageTags } from "./page-tags.js";
import type { RuledTable } from "./placed-table.js";
import type { Run } from "./runs.js";
import { segmentsOf } from "./segments.js";

/** The tables of a page from its tags. */
export function taggedTables(tables: PageTags["tables"], runs: readonly Run[]): RuledTable[] {
  if (tables.length === 0) return [];
  const byContent = new Map<string, Run[]>();
  for (const run of runs) {
    if (run.content === null) continue;
    const same = byContent.get(run.content);
    if (same === undefined) byContent.set(run.content, [run]);
    else same.push(run);
  }
  return tables.flatMap((table) => {
    const cells = table.map((row) => row.map((ids) => ids.flatMap((id) => byContent.get(id) ?? [])));
    const own = cells.flat(2);
    const rows = cells.map((row) => row.map(cellText)).filter((row) => row.some((cell) => cell !== ""));
    if (rows.length < 2 || own.length === 0) return [];
    const box = unionOf(own.map(({ left, top, right, bottom }) => [left, top, right, bottom]));
    return [{ rows, box, runs: new Set(own) }];
  });
}

function cellText(runs: readonly Run[]): string {
  return joinLines(segmentsOf(runs).map((segment) => segment.text));
}
