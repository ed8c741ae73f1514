import type { ParseOptions, SourceFile } from "../../../interfaces/parser.js";
import type { BlockList } from "../blocks/block-list.js";
import { fileLabel, reasonSuffix } from "../errors/file-errors.js";

/** The destination of an embedded file's blocks and warnings. */
export interface EmbeddedTarget {
  readonly list: BlockList;
  /** Level of the heading with the file's name, 1 to 6. */
  readonly level: number;
  readonly warnings: string[];
}

/** Adds the blocks of an embedded file under a heading with the file's name. Warns if the file cannot be read. */
export async function addEmbedded(file: SourceFile, options: ParseOptions, target: EmbeddedTarget): Promise<void> {
  const { list, level, warnings } = target;
  const label = fileLabel(file.name);
  if (options.parseEmbedded === undefined) {
    warnings.push(`${label} within the file was not read.`);
    return;
  }
  try {
    const parsed = await options.parseEmbedded(file);
    if (parsed.blocks.length > 0 && file.name !== null) list.heading(level, file.name);
    list.append(parsed.blocks, file.name === null ? level : level + 1);
    for (const warning of parsed.warnings) warnings.push(warning.includes(label) ? warning : `${label}: ${warning}`);
  } catch (error) {
    options.signal?.throwIfAborted();
    warnings.push(`${label} within the file was not read${reasonSuffix(error)}`);
  }
}
