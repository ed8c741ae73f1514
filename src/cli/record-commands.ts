import type { NamespaceHandle } from "../index.js";
import { STATUSES, type Status } from "../types.js";
import { collect } from "../util/collect.js";
import { formatColumns } from "./columns.js";
import type { Command, Outcome } from "./command.js";
import { parseChoice } from "./flag-values.js";
import { NAMESPACE_FLAGS } from "./flags.js";
import { withNamespace } from "./with-namespace.js";

/** Printed by commands that mark data as deleted and leave its removal to a process that runs jobs. */
export const REMOVED_LATER = "its data is removed by the next process that runs jobs, such as lorebase serve";

interface ListOptions {
  readonly signal: AbortSignal;
  readonly statuses?: readonly Status[];
}

/** Creates a command that lists the records of a namespace, optionally only those with one status. */
export function createListCommand<Item>(
  noun: "documents" | "jobs",
  summary: string,
  iterate: (handle: NamespaceHandle, options: ListOptions) => AsyncIterable<Item>,
  toRow: (item: Item) => string[],
): Command {
  return {
    name: `${noun} list`,
    summary,
    flags: [...NAMESPACE_FLAGS, ...(noun === "documents" ? (["principal"] as const) : []), "status"],
    async run(invocation) {
      const status = parseChoice("status", invocation.flags.status, STATUSES);
      return withNamespace(invocation, async (handle, slug) => {
        const options = { signal: invocation.terminal.signal, ...(status && { statuses: [status] }) };
        const items = await collect(iterate(handle, options));
        const text = items.length === 0 ? `no ${noun} in ${slug}` : formatColumns(items.map(toRow));
        return { json: { namespace: slug, [noun]: items }, text };
      });
    },
  };
}

/** Creates a command that works on one record of a namespace, a document or a job. */
export function createRecordCommand(
  name: string,
  summary: string,
  work: (handle: NamespaceHandle, id: string) => Promise<Outcome>,
): Command {
  return {
    name,
    summary,
    usage: "<id>",
    operands: { min: 1, max: 1 },
    flags: NAMESPACE_FLAGS,
    run: (invocation) => withNamespace(invocation, (handle) => work(handle, invocation.operands[0]!)),
  };
}
