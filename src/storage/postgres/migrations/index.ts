import type { Migration } from "../../migration-history.js";
import { initial } from "./0001-initial.js";
import { stemming } from "./0002-stemming.js";

/** All migrations, in order. Each of a later version has its counterpart for SQLite (sqlite/migrations/). */
export const MIGRATIONS: readonly Migration[] = [initial, stemming];
