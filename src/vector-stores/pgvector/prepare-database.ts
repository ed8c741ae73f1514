import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { sqlStateOf } from "../../util/sql-state.js";
import { inTransaction, type Session } from "./sessions.js";
import { CREATE_TABLE, LOCK_CLASS, TABLE } from "./table.js";
import { isTooOld, MIN_VERSION } from "./version.js";

const INSUFFICIENT_PRIVILEGE = "42501";

interface State {
  /** The version of the extension in the database; `null` if it is not installed there. */
  readonly installed: string | null;
  /** The version that the server can install; `null` if it has none. */
  readonly available: string | null;
  /** The schema of the extension. */
  readonly schema: string | null;
  /** Whether its types are found without naming the schema. */
  readonly isVisible: boolean;
  readonly hasTable: boolean;
}

/**
 * Installs pgvector in a database if it is not installed, and creates the table if it is missing. Processes that do so
 * at once take turns.
 * @throws KnowledgeBaseError `store_failed` that says what is missing and what to do
 */
export async function prepareDatabase(session: Session, address: string): Promise<void> {
  const found = await readState(session);
  const refuse = (problem: string) => {
    throw new KnowledgeBaseError("store_failed", `MANAGED_PGVECTOR can't use ${address}: ${problem}`);
  };
  if (found.installed === null) checkAvailable(found.available, refuse);
  else checkInstalled(found, refuse);
  if (found.installed !== null && found.hasTable) return;
  await inTransaction(session, async () => {
    await session.query(`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, 0)`);
    if (found.installed === null) await install(session, found.available, refuse);
    for (const statement of CREATE_TABLE) await session.query(statement);
  });
}

async function readState(session: Session): Promise<State> {
  const [state] = await session.query<State>(
    `SELECT
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
       (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector') AS schema,
       to_regtype('vector') IS NOT NULL AS "isVisible",
       EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = '${TABLE}') AS "hasTable"`,
  );
  return state!;
}

type Refuse = (problem: string) => never | void;

function checkAvailable(available: string | null, refuse: Refuse): void {
  if (available === null)
    refuse(
      `the server has no extension pgvector. Install pgvector ${MIN_VERSION} or later on the server, in Debian the ` +
        "package postgresql-<version>-pgvector.",
    );
  else if (isTooOld(available))
    refuse(`the server has pgvector ${available}, but ${MIN_VERSION} or later is needed. Install it on the server.`);
}

function checkInstalled({ installed, available, schema, isVisible }: State, refuse: Refuse): void {
  if (isTooOld(installed!)) {
    const canUpdate = available !== null && !isTooOld(available);
    const remedy = canUpdate
      ? "Run ALTER EXTENSION vector UPDATE."
      : "Install it on the server, and update the extension.";
    refuse(`the database has pgvector ${installed}, but ${MIN_VERSION} or later is needed. ${remedy}`);
  }
  if (!isVisible) refuse(`the schema ${schema}, which has pgvector, is not in the search_path of the role.`);
}

async function install(session: Session, available: string | null, refuse: Refuse): Promise<void> {
  try {
    await session.query("CREATE EXTENSION IF NOT EXISTS vector");
  } catch (error) {
    if (sqlStateOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    refuse(
      `pgvector ${available} is not installed in the database, and the role may not install it ` +
        `(${getErrorMessage(error)}). Run CREATE EXTENSION vector as a superuser.`,
    );
  }
}
