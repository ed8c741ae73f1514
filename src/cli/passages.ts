import type { Filter } from "../index.js";
import type { Command } from "./command.js";
import { parseCount, parseJsonObject } from "./flag-values.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { describeOrigin, formatSnippet } from "./search.js";
import { withNamespace } from "./with-namespace.js";

/** The maximum of `perPage`. */
const MAX_PASSAGES = 100;

export const passagesCommand: Command = {
  name: "passages",
  summary: "list passages without a query",
  details: "The newest documents come first, or the greatest values of the key that --order-by names.",
  flags: [
    ...NAMESPACE_FLAGS,
    "read-only",
    "filter",
    "principal",
    "top-k",
    "order-by",
    "ascending",
    "one-per-document",
    "cursor",
  ],
  run: (invocation) => {
    const { flags, terminal } = invocation;
    const orderBy = flags["order-by"];
    const options = {
      // The engine validates the filter.
      filter: parseJsonObject("filter", flags.filter) as Filter | undefined,
      ...(orderBy !== undefined && { orderBy: { key: orderBy } }),
      order: flags.ascending ? ("asc" as const) : ("desc" as const),
      onePerDocument: flags["one-per-document"],
      perPage: parseCount("top-k", flags["top-k"], MAX_PASSAGES) ?? 5,
      cursor: flags.cursor,
      includeTotal: true,
      signal: terminal.signal,
    };
    return withNamespace(invocation, async (handle, namespace) => {
      const page = await handle.passages.list(options);
      const passages = page.items.map((passage) => {
        const value = orderBy === undefined ? undefined : passage.metadata[orderBy];
        const shown = value === undefined ? "" : `${terminal.style("dim", JSON.stringify(value))}  `;
        return `${shown}${describeOrigin(passage, terminal)}\n   ${formatSnippet(passage.text)}`;
      });
      const rest = page.nextCursor === null ? [] : [`${page.total} in total; next page: --cursor ${page.nextCursor}`];
      const text = passages.length === 0 ? "nothing found" : [...passages, ...rest].join("\n\n");
      return { json: { namespace, ...page }, text };
    });
  },
};
