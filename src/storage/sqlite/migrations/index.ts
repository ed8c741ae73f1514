import { initial } from "./0001-initial.js";
import { sources } from "./0002-sources.js";
import { syncedFiles } from "./0003-synced-files.js";
import { unpublishedVectors } from "./0004-unpublished-vectors.js";
import { crawlPageCounts } from "./0005-crawl-page-counts.js";
import { syncedRoots } from "./0006-synced-roots.js";
import { vectorFiles } from "./0007-vector-files.js";
import { documentContents } from "./0008-document-contents.js";
import { recordsInFiles } from "./0009-records-in-files.js";
import { feedback } from "./0010-feedback.js";
import { documentsOfTenants } from "./0011-documents-of-tenants.js";

/** One step to the next version. A released migration never changes: databases record the checksums of theirs. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/**
 * In order. A database's version is the number of these that it has. A new column also changes its table's row type
 * (records/row-types.ts), and the statements of `records/` that insert into the table or read it.
 */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  sources,
  syncedFiles,
  unpublishedVectors,
  crawlPageCounts,
  syncedRoots,
  vectorFiles,
  documentContents,
  recordsInFiles,
  feedback,
  documentsOfTenants,
];
