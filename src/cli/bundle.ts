import { resolve } from "node:path";
import type { BundleContents, SkippedPart } from "../index.js";
import { formatCount } from "./columns.js";
import type { Command } from "./command.js";
import { parseEmbeddingFlags } from "./flag-values.js";
import { STORAGE_FLAGS } from "./flags.js";
import { parseStorageFlags } from "./storage-flags.js";
import { withExistingKnowledgeBase, withKnowledgeBase } from "./with-knowledge-base.js";
import { parseNamespaceFlag } from "./with-namespace.js";

export const exportCommand: Command = {
  name: "export",
  summary: "write a namespace to one file",
  usage: "<file>",
  operands: { min: 1, max: 1 },
  flags: [...STORAGE_FLAGS, "read-only", "namespace", "organization", "originals", "skip-damaged"],
  run(invocation) {
    const { operands, flags, terminal } = invocation;
    const [file] = operands as [string];
    const slug = parseNamespaceFlag(flags);
    return withExistingKnowledgeBase(invocation, async (kb) => {
      const owner = flags.organization === undefined ? kb : kb.organization(flags.organization);
      const contents = await owner.namespace(slug).export(file, {
        includeOriginals: flags.originals,
        skipDamaged: flags["skip-damaged"],
        signal: terminal.signal,
      });
      const lines = [`wrote ${resolve(file)}: ${describe(contents)}`, ...contents.skipped.map(describeSkipped)];
      return { json: { namespace: slug, file, ...contents }, text: lines.join("\n") };
    });
  },
};

export const importCommand: Command = {
  name: "import",
  summary: "add the namespace in a file, as a new one",
  usage: "<file>",
  operands: { min: 1, max: 1 },
  flags: [...STORAGE_FLAGS, "slug", "organization", "embedding", "model", "reembed"],
  run({ operands, flags, terminal }) {
    const [file] = operands as [string];
    const embeddingConfig = parseEmbeddingFlags(flags);
    return withKnowledgeBase({ ...parseStorageFlags(flags, terminal), worker: false }, terminal, async (kb) => {
      const owner = flags.organization === undefined ? kb : kb.organization(flags.organization);
      const { slug, reembed } = flags;
      const imported = await owner.import(file, { slug, reembed, embeddingConfig, signal: terminal.signal });
      const { namespace, reembedded, ...contents } = imported;
      const again = reembedded === 0 ? "" : `; ${formatCount(reembedded, "passage")} embedded again`;
      const lines = [
        `imported ${namespace.slug} (${namespace.id}): ${describe(contents)}${again}`,
        ...contents.skipped.map(describeSkipped),
      ];
      return { json: imported, text: lines.join("\n") };
    });
  },
};

function describe({ documents, chunks, files }: BundleContents): string {
  return [
    formatCount(documents, "document"),
    formatCount(chunks, "passage"),
    ...(files === 0 ? [] : [formatCount(files, "original")]),
  ].join(", ");
}

function describeSkipped({ documentId, documentName, part, reason }: SkippedPart): string {
  const original = part === "original" ? "the original of " : "";
  return `damaged and not in the bundle: ${original}${documentName ?? documentId ?? "a document"}: ${reason}`;
}
