import type { Migration } from "../../migration-history.js";
import { initial } from "./0001-initial.js";
import { stemming } from "./0002-stemming.js";
import { sharedLimits } from "./0003-shared-limits.js";
import { masterKeys } from "./0004-master-keys.js";
import { contentHashes } from "./0005-content-hashes.js";
import { taskDelays } from "./0006-task-delays.js";
import { webhooks } from "./0007-webhooks.js";
import { quotas } from "./0008-quotas.js";
import { changeMarks } from "./0009-change-marks.js";
import { documentAccess } from "./0010-document-access.js";
import { corpusHealth } from "./0011-corpus-health.js";
import { vectorSets } from "./0012-vector-sets.js";
import { goldenQuestions } from "./0013-golden-questions.js";
import { storeVectors } from "./0014-store-vectors.js";
import { firstPages } from "./0015-first-pages.js";
import { sampledQueries } from "./0016-sampled-queries.js";
import { abandonedStores } from "./0017-abandoned-stores.js";

/** All migrations, in order. What changes the tables of records has its counterpart for SQLite (sqlite/migrations/). */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  stemming,
  sharedLimits,
  masterKeys,
  contentHashes,
  taskDelays,
  webhooks,
  quotas,
  changeMarks,
  documentAccess,
  corpusHealth,
  vectorSets,
  goldenQuestions,
  storeVectors,
  firstPages,
  sampledQueries,
  abandonedStores,
];
