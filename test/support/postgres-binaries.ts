import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The folder of a PostgreSQL server's programs, instead of the newest of Debian's. */
const GIVEN = "LOREBASE_TEST_POSTGRES_BIN";

/** The folder with `initdb` and `postgres`; `null` if PostgreSQL isn't installed. */
export function findPostgres(): string | null {
  const given = process.env[GIVEN];
  if (given && !isServer(given)) throw new Error(`${GIVEN} names ${given}, which has no initdb and postgres.`);
  if (given) return given;
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(root, version, "bin")), ...process.env.PATH!.split(delimiter)];
  return folders.find(isServer) ?? null;
}

function isServer(folder: string): boolean {
  return existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"));
}
