import type { Run } from "./runs.js";

/** Joins each drop cap to the first line beside it. */
export function joinDropCaps(runs: Run[]): void {
  for (let i = runs.length - 1; i >= 0; i--) {
    const cap = runs[i]!;
    if (!/^\p{Lu}$/u.test(cap.text.trim())) continue;
    const first = runs.find((run) => isFirstLine(run, cap));
    if (first === undefined) continue;
    first.text = cap.text.trim() + first.text;
    first.left = cap.left;
    runs.splice(i, 1);
  }
}

function isFirstLine(run: Run, cap: Run): boolean {
  return (
    cap.size > run.size * 1.7 &&
    cap.baseline > run.baseline + run.size * 0.8 &&
    run.left >= cap.right - run.size * 0.5 &&
    run.left < cap.right + run.size * 1.5 &&
    run.baseline > cap.top &&
    run.baseline - run.size * 1.4 < cap.top + cap.size * 0.25 &&
    /^\p{L}/u.test(run.text)
  );
}
