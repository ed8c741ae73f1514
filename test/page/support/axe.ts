import axe from "axe-core";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const OPTIONS = { runOnly: TAGS, resultTypes: ["violations"] };

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The violations of accessibility rules that axe finds. It is run by the debugger, so that the policy stays on. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { result: loaded } = await session.send("Runtime.evaluate", { expression: "typeof axe" });
    if (loaded.value === "undefined") await session.send("Runtime.evaluate", { expression: axe.source });
    const { result } = await session.send("Runtime.evaluate", {
      expression: `axe.run(${JSON.stringify(OPTIONS)}).then(({ violations }) => JSON.stringify(violations))`,
      awaitPromise: true,
    });
    const violations = JSON.parse(result.value) as readonly Violation[];
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  } finally {
    await session.detach();
  }
}
