import { resolve } from "node:path";
import type { BackupManifest } from "../index.js";
import { formatCount } from "./columns.js";
import type { Command } from "./command.js";
import { parseCount, resolveDirectory } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { withExistingKnowledgeBase } from "./with-knowledge-base.js";

const BYTES_PER_MEGABYTE = 1e6;

export const backupCommand: Command = {
  name: "backup",
  summary: "copy a knowledge base into a folder while it is in use",
  usage: "<folder>",
  operands: { min: 1, max: 1 },
  flags: [...STORAGE_FLAGS, "read-only", "include-secret-key", "verify", "rate"],
  run(invocation) {
    const { operands, flags, terminal } = invocation;
    const target = operands[0]!;
    const rate = parseCount("rate", flags.rate);
    return withExistingKnowledgeBase(invocation, async (kb) => {
      const manifest = await kb.backup(target, {
        includeSecretKey: flags["include-secret-key"],
        verify: flags.verify,
        ...(rate !== undefined && { bytesPerSecond: rate * BYTES_PER_MEGABYTE }),
        signal: terminal.signal,
      });
      const lines = [
        `${flags.verify ? "wrote and verified" : "wrote"} ${resolve(target)}: ${describe(manifest)}`,
        ...manifest.damagedFiles.map((key) => `missing, unreadable or damaged in the knowledge base: file ${key}`),
      ];
      for (const { provider, namespaces } of manifest.vectorStores)
        lines.push(`the vectors of ${formatCount(namespaces, "namespace")} are in ${provider}, and not in the backup`);
      if (!manifest.hasFiles) lines.push("files are in a store outside of the directory, and not in the backup");
      const isComplete = manifest.damagedFiles.length === 0;
      return { json: { folder: target, manifest }, text: lines.join("\n"), exitCode: isComplete ? 0 : 1 };
    });
  },
};

export const restoreCommand: Command = {
  name: "restore",
  summary: "restore a backup into an empty directory",
  usage: "<backup>",
  operands: { min: 1, max: 1 },
  flags: ["directory"],
  async run({ operands, flags, terminal }) {
    const { restoreBackup } = await import("../index.js");
    const directory = resolveDirectory(flags, terminal);
    const { missingFiles, ...manifest } = await restoreBackup(operands[0]!, directory, { signal: terminal.signal });
    const lines = [
      `restored ${describe(manifest)} into ${resolve(directory)}`,
      ...missingFiles.map((key) => `missing or damaged in the backup: file ${key}`),
    ];
    for (const { provider, namespaces } of manifest.vectorStores) {
      lines.push(
        `The vectors of ${formatCount(namespaces, "namespace")} are in ${provider}, which may no longer have all of them. ` +
          "Only open the directory for writing if the original is no longer in use: jobs would change its vectors.",
      );
    }
    if (manifest.keyIds.length > 0 && !manifest.hasSecretKey) {
      lines.push(
        `The providers' keys in it are encrypted with the master key ${manifest.keyIds.join(", ")}: put its secret.key ` +
          "into the directory, or set LOREBASE_MASTER_KEY.",
      );
    }
    const json = { directory, manifest, missingFiles };
    return { json, text: lines.join("\n"), exitCode: missingFiles.length === 0 ? 0 : 1 };
  },
};

function describe({ counts, createdAt }: BackupManifest): string {
  const { namespaces, documents, chunks, files } = counts;
  const parts = [
    formatCount(namespaces, "namespace"),
    formatCount(documents, "document"),
    formatCount(chunks, "passage"),
    formatCount(files, "file"),
  ];
  return `${parts.join(", ")}, as of ${createdAt}`;
}
