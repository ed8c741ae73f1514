import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";

const FOLDERS = ["docs/decisions", "docs/internals"];
const PAGES = [
  "docs/architecture.md",
  ...FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`)),
];
const ROOTS = ["src", "test", "bench", "build", "docs", "training", "models"];
const FILES = ROOTS.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => `/${root}/${path.replaceAll("\\", "/")}`),
);

/** Paths and file names in backticks; those with a placeholder name no single file. */
function namedFiles(page: string): string[] {
  const code = [...readFileSync(page, "utf8").matchAll(/`([\w./-]+)`/g)].map(([, path]) => path!);
  const isPath = /^(?:src|test|bench|build|docs|training|models)\/|\.(?:ts|as|md|sh)$/;
  return code.filter((path) => isPath.test(path)).map((path) => path.replace(/\/$/, ""));
}

describe.each(PAGES)("%s", (page) => {
  test("names only files that exist", () => {
    const isMissing = (path: string) => !existsSync(path) && !FILES.some((file) => file.endsWith(`/${path}`));
    expect(namedFiles(page).filter(isMissing)).toEqual([]);
  });

  test("has at most 150 lines", () => {
    expect(readFileSync(page, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });
});

test("the index of decisions lists each record once, under its title", () => {
  const index = readFileSync("docs/decisions/README.md", "utf8");
  const records = readdirSync("docs/decisions").filter((name) => /^\d{4}-/.test(name));
  const lines = records.sort().map((name) => {
    const [, number, title] = /^# (\d+)\. (.+)/.exec(readFileSync(`docs/decisions/${name}`, "utf8"))!;
    expect(basename(name)).toMatch(new RegExp(`^${number!.padStart(4, "0")}-`));
    return `| ${number} | [${title}](${name}) |`;
  });
  expect(index.match(/^\| \d+ \|.*$/gm)).toEqual(lines);
});
