import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const text = (path: string) => readFileSync(path, "utf8");

describe("the published package", () => {
  test("names the repository, the home page and the issue tracker", () => {
    const { repository, homepage, bugs } = JSON.parse(text("package.json"));
    // The registry's page resolves the README's relative links and images against this repository.
    expect(repository).toEqual({
      type: "git",
      url: expect.stringMatching(/^git\+https:\/\/github\.com\/[\w/-]+\.git$/),
    });
    const page = repository.url.slice("git+".length, -".git".length);
    expect({ homepage, bugs }).toEqual({ homepage: `${page}#readme`, bugs: { url: `${page}/issues` } });
  });

  test("has no source maps and no references to one", () => {
    const pack = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" });
    const [{ files }] = JSON.parse(pack) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain("dist/index.js");
    expect(paths.filter((path) => path.endsWith(".map"))).toEqual([]);
    const scripts = paths.filter((path) => path.endsWith(".js"));
    expect(scripts.filter((path) => /^\/\/# sourceMappingURL=/m.test(text(path)))).toEqual([]);
  });
});

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CODE_OF_CONDUCT.md",
  "examples/README.md",
  "CHANGELOG.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
];

test.each(PAGES.filter((path) => path.endsWith(".md") && existsSync(path)))(
  "every relative link of %s leads to a file",
  (path) => {
    const targets = [...text(path).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
    const relative = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(relative.filter((target) => !existsSync(join(dirname(path), target)))).toEqual([]);
  },
);
