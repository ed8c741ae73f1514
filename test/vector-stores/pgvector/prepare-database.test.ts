import { expect, it } from "vitest";
import { prepareDatabase } from "#dist/vector-stores/pgvector/prepare-database.js";
import type { Session } from "../../../src/vector-stores/pgvector/sessions.js";
import { failureOf } from "../../support/knowledge-base.js";

const READY = { installed: "0.8.0", available: "0.8.7", schema: "public", isVisible: true, hasTable: true };

/** A database in a given state, whose role may not install extensions. */
function databaseIn(state: Partial<typeof READY> | { installed: null; available: string | null; isVisible: false }) {
  const statements: string[] = [];
  const session: Session = {
    async query<Row>(sql: string) {
      statements.push(sql.trim().split(/\s+/).slice(0, 2).join(" "));
      if (sql.includes("pg_available_extensions")) return [{ ...READY, ...state }] as Row[];
      if (sql.startsWith("CREATE EXTENSION"))
        throw Object.assign(new Error("permission denied"), { severity: "ERROR", code: "42501" });
      return [];
    },
  };
  return { session, statements };
}

it("changes nothing in a database that is ready", async () => {
  for (const installed of ["0.8.0", "0.10.1", "1.0"]) {
    const { session, statements } = databaseIn({ installed });
    await prepareDatabase(session, "postgres://db/kb");
    expect(statements).toHaveLength(1);
  }
});

it.each([
  [{ installed: "0.7.4" }, /has pgvector 0\.7\.4, but 0\.8 or later is needed\. Run ALTER EXTENSION vector UPDATE\.$/],
  [{ installed: "0.7.4", available: "0.7.4" }, /0\.7\.4.*Install it on the server, and update the extension\.$/],
  [{ installed: null, available: "0.5.1", isVisible: false }, /the server has pgvector 0\.5\.1, but 0\.8 or later/],
  [{ installed: null, available: null, isVisible: false }, /the server has no extension pgvector\. Install/],
  [{ installed: null, available: "0.8.7", isVisible: false }, /may not install it \(permission denied\)\. Run CREATE/],
  [{ schema: "other", isVisible: false }, /the schema other, which has pgvector, is not in the search_path/],
] as const)("refuses a database in the state %j", async (state, problem) => {
  const { session, statements } = databaseIn(state);
  const error = await failureOf(() => prepareDatabase(session, "postgres://db/kb"));
  expect([error.code, error.retryable]).toEqual(["store_failed", false]);
  expect(error.message).toMatch(/^MANAGED_PGVECTOR can't use postgres:\/\/db\/kb: /);
  expect(error.message).toMatch(problem);
  expect(statements).not.toContain("CREATE TABLE");
});
