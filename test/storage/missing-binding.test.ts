import { describe, expect, it } from "vitest";
import { bindingProblemOf, describeBindingProblem } from "#dist/storage/sqlite/binding-problem.js";
import { packageManagerOf } from "#dist/storage/sqlite/package-manager.js";

/** Which package manager some files, by path, are of. */
function managerOf(files: Readonly<Record<string, string>>) {
  const folders = ["/app/node_modules/better-sqlite3", "/app/node_modules", "/app", "/"];
  return packageManagerOf(folders, (folder, name) => files[folder === "/" ? `/${name}` : `${folder}/${name}`] ?? null);
}

function dlopenError(message: string): Error {
  return Object.assign(new Error(message), { code: "ERR_DLOPEN_FAILED" });
}

const REBUILD = "npm rebuild better-sqlite3 --ignore-scripts=false";

describe("a missing binding of better-sqlite3", () => {
  const unapproved = '{ "ignoredBuilds": [\n "esbuild@0.27.7",\n "better-sqlite3@12.11.1" ], "pendingBuilds": [] }';
  const approved = '{ "ignoredBuilds": ["esbuild@0.27.7"], "pendingBuilds": [], "x": ["better-sqlite3@12.11.1"] }';
  const inYaml = "hoistPattern:\n  - '*'\nignoredBuilds:\n  - esbuild\n  - better-sqlite3@12.11.1\n";
  it.each([
    ["npm", {}, `npm pkg set allowScripts.better-sqlite3=true --json && ${REBUILD}`],
    [
      "npm",
      { "/app/node_modules/.package-lock.json": "{}" },
      `npm pkg set allowScripts.better-sqlite3=true --json && ${REBUILD}`,
    ],
    ["pnpm-unapproved", { "/app/node_modules/.modules.yaml": unapproved }, "pnpm approve-builds better-sqlite3"],
    ["pnpm-unapproved", { "/app/node_modules/.modules.yaml": inYaml }, "pnpm approve-builds better-sqlite3"],
    ["pnpm", { "/app/node_modules/.modules.yaml": approved }, "pnpm rebuild better-sqlite3"],
    [
      "yarn",
      { "/app/node_modules/.yarn-state.yml": "" },
      "npm pkg set dependenciesMeta.better-sqlite3.built=true --json && yarn rebuild better-sqlite3",
    ],
    [
      "yarn",
      { "/app/.pnp.cjs": "" },
      "npm pkg set dependenciesMeta.better-sqlite3.built=true --json && yarn rebuild better-sqlite3",
    ],
    ["yarn-classic", { "/app/node_modules/.yarn-integrity": "{}" }, REBUILD],
    ["bun", { "/app/bun.lock": "" }, "bun pm trust better-sqlite3"],
  ] as const)("has one cure with %s: %j", (manager, files, command) => {
    expect(managerOf(files)).toBe(manager);
    expect(describeBindingProblem("missing", manager).fix).toBe(command);
  });

  it("is distinguished from one built for another Node or platform, and from other errors", () => {
    const missing = "Could not locate the bindings file. Tried:\n → /app/node_modules/better-sqlite3/build/x.node";
    expect(bindingProblemOf(new Error(missing))).toBe("missing");
    const other =
      "was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115. This version of Node";
    expect(bindingProblemOf(dlopenError(other))).toBe("other-node");
    expect(bindingProblemOf(dlopenError("x.node: invalid ELF header"))).toBe("other-platform");
    expect(bindingProblemOf(new TypeError("The directory does not exist"))).toBeNull();
    expect(describeBindingProblem("other-node", "npm").cause).toContain(`(this is ${process.versions.node})`);
  });
});
