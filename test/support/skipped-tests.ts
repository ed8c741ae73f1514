import type { Reporter, TestModule } from "vitest/node";

/** Prints after a run why tests were skipped, and how many for each reason. */
export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const reason = ("note" in result && result.note) || "no reason given";
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    for (const [reason, count] of counts) console.log(`Skipped ${count} ${count === 1 ? "test" : "tests"}: ${reason}`);
  }
}
