import { groupBy } from "../../util/group-by.js";
import { boxAround } from "./frame.js";
import { joinLines } from "./join-lines.js";
import type { PageTags } from "./page-tags.js";
import type { RuledTable } from "./ruled-tables.js";
import type { Run } from "./runs.js";
import { segmentsOf } from "./segments.js";

/** The tables of a page from its tags. */
export function taggedTables(tables: PageTags["tables"], runs: readonly Run[]): RuledTable[] {
  if (tables.length === 0) return [];
  const byContent = groupBy(runs, ({ content }) => content);
  return tables.flatMap((table) => {
    const cells = table.map((row) => row.map((ids) => ids.flatMap((id) => byContent.get(id) ?? [])));
    const own = cells.flat(2);
    const rows = cells.map((row) => row.map(cellText)).filter((row) => row.some((cell) => cell !== ""));
    if (rows.length < 2 || own.length === 0) return [];
    return [{ rows, box: boxAround(own), runs: new Set(own) }];
  });
}

function cellText(runs: readonly Run[]): string {
  return joinLines(segmentsOf(runs).map((segment) => segment.text));
}
