import type { Migration } from "../../migration-history.js";
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
import { stemming } from "./0012-stemming.js";
import { contentHashes } from "./0013-content-hashes.js";
import { taskDelays } from "./0014-task-delays.js";
import { webhooks } from "./0015-webhooks.js";
import { quotas } from "./0016-quotas.js";
import { keywordRebuilds } from "./0017-keyword-rebuilds.js";
import { documentAccess } from "./0018-document-access.js";
import { corpusHealth } from "./0019-corpus-health.js";
import { vectorSets } from "./0020-vector-sets.js";
import { goldenQuestions } from "./0021-golden-questions.js";
import { storeVectors } from "./0022-store-vectors.js";
import { firstPages } from "./0023-first-pages.js";
import { sampledQueries } from "./0024-sampled-queries.js";
import { abandonedStores } from "./0025-abandoned-stores.js";

/**
 * All migrations, in order. A database's schema version is the number of migrations applied to it. To add a column,
 * also change the table's row type (records/row-types.ts), and the statements in `records/` that insert into or read
 * the table. Add the same migration for PostgreSQL (postgres/migrations/).
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
  stemming,
  contentHashes,
  taskDelays,
  webhooks,
  quotas,
  keywordRebuilds,
  documentAccess,
  corpusHealth,
  vectorSets,
  goldenQuestions,
  storeVectors,
  firstPages,
  sampledQueries,
  abandonedStores,
];
