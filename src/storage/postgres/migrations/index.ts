import type { Migration } from "../../migration-history.js";
import { initial } from "./0001-initial.js";
import { contentHashes } from "./0004-content-hashes.js";
import { taskDelays } from "./0005-task-delays.js";

/** All migrations, in order. Each of a later version has its counterpart for SQLite (sqlite/migrations/). */
export const MIGRATIONS: readonly Migration[] = [initial, contentHashes, taskDelays];
