import type { CompactPhase, CompactSummary } from "../index.js";
import { formatColumns } from "./columns.js";
import type { Command } from "./command.js";
import { STORAGE_FLAGS } from "./flags.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

const LABELS: Readonly<Record<CompactPhase, string>> = {
  database: "compacting the database",
  keywords: "merging keyword indexes",
  vectors: "replacing vector files",
  tables: "vacuuming tables",
};

/** Gives unused space back to the file system. Exits with 1 if something keeps space that will be free later. */
export const compactCommand: Command = {
  name: "compact",
  summary: "give the space of deleted content back to the file system",
  flags: [...STORAGE_FLAGS, "rewrite"],
  run(invocation) {
    const { flags, terminal } = invocation;
    return withExistingKnowledgeBase(invocation, async (kb, progress) => {
      const summary = await kb.compact({
        rewrite: flags.rewrite === true,
        signal: terminal.signal,
        onProgress: ({ phase, ...counts }) => progress.update({ label: LABELS[phase], ...counts }),
      });
      progress.end();
      return { json: summary, text: describe(summary), exitCode: summary.remaining.length > 0 ? 1 : 0 };
    });
  },
};

function describe({ places, remaining }: CompactSummary): string {
  const rows = places.map(({ place, bytesBefore, bytesAfter }) => [
    place,
    megabytes(bytesBefore),
    megabytes(bytesAfter),
  ]);
  return [formatColumns([["MB", "before", "after"], ...rows], "right"), ...remaining].join("\n");
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
