import { groupBy } from "../../util/group-by.js";
import { boxAround } from "./frame.js";
import { joinLines } from "./join-lines.js";
import type { PageTags } from "./page-tags.js";
import type { DetectedTable } from "./ruled-tables.js";
import type { Run } from "./runs.js";
import { segmentsOf } from "./segments.js";

/** Builds the tables of a page from its structure tags. */
export function taggedTables(tables: PageTags["tables"], runs: readonly Run[]): DetectedTable[] {
  if (tables.length === 0) return [];
  const byContent = groupBy(runs, ({ contentId }) => contentId);
  return tables.flatMap((table) => {
    const cells = table.map((row) => row.map((ids) => ids.flatMap((id) => byContent.get(id) ?? [])));
    const tableRuns = cells.flat(2);
    const filled = cells.filter((row) => row.some((runs) => cellText(runs) !== ""));
    if (filled.length < 2 || tableRuns.length === 0) return [];
    const rows = filled.map((row) => row.map(cellText));
    const extents = filled.map((row) => {
      const [, top, , bottom] = boxAround(row.flat());
      return { top, bottom };
    });
    return [{ rows, extents, box: boxAround(tableRuns), runs: new Set(tableRuns) }];
  });
}

function cellText(runs: readonly Run[]): string {
  return joinLines(segmentsOf(runs).map((segment) => segment.text));
}
