import { expect, it } from "vitest";
import { formatColumns } from "#dist/cli/columns.js";

it("aligns cells and replaces control characters", () => {
  const rows = [
    ["a", "long name", "x"],
    ["bb", "evil\n\u001b[31mred\u2028", "y"],
  ];
  expect(formatColumns(rows)).toBe("a   long name      x\nbb  evil [31mred   y");
});
