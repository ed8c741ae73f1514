import { describe, expect, it } from "vitest";
import { createProgress, type ProgressStep } from "#dist/cli/progress.js";

const REDRAW = "\r\u001b[2K";

function shown(live: boolean, steps: readonly ProgressStep[], columns = 80): string {
  const written: string[] = [];
  const progress = createProgress({ isInteractive: live, columns, err: (text) => written.push(text) });
  for (const step of steps) progress.update(step);
  progress.end();
  return written.join("");
}
const steps = (label: string, total: number | null, ...done: number[]) =>
  done.map((count) => ({ label, done: count, total, detail: "files" }));

describe("progress lines", () => {
  it("prints each quarter and the end once", () => {
    const text = shown(false, steps("ingesting", 1000, 0, 1, 100, 250, 260, 499, 501, 999, 1000, 1000));
    expect(text.split("\n")).toEqual([
      "ingesting 250/1,000  files",
      "ingesting 501/1,000  files",
      "ingesting 999/1,000  files",
      "ingesting 1,000/1,000  files",
      "",
    ]);
  });

  it("starts again with each label", () => {
    expect(shown(false, [...steps("ingest", 4, 4), ...steps("keyword", 2, 1, 2)])).toBe(
      "ingest 4/4  files\nkeyword 1/2  files\nkeyword 2/2  files\n",
    );
  });

  it("has no control characters", () => {
    expect(shown(false, steps("a", 3, 1, 2, 3))).toMatch(/^[ -~\n]*$/);
  });
});

describe("progress bar", () => {
  it("redraws its line and ends it", () => {
    const text = shown(true, steps("ingesting", 4, 0, 2, 4));
    const drawn = text.split(REDRAW).filter(Boolean);
    expect(drawn[0]).toBe(`ingesting ${"░".repeat(24)} 0/4  files`);
    expect(drawn.at(-1)).toBe(`ingesting ${"█".repeat(24)} 4/4  files\n`);
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  it("starts a new line for a new label and stays within the width", () => {
    const text = shown(true, [...steps("first", 1, 1), ...steps("second", null, 7)], 30);
    expect(text.match(/\n/g)).toHaveLength(2);
    for (const line of text.split("\n").flatMap((line) => line.split(REDRAW))) expect(line.length).toBeLessThan(30);
  });

  it("prints nothing without steps", () => {
    expect(shown(true, [])).toBe("");
    expect(shown(false, [])).toBe("");
  });
});
