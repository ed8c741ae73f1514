import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { LAYERS } from "../../build/layers.js";

const text = (path: string) => readFileSync(path, "utf8");
const { scripts, engines } = JSON.parse(text("package.json"));
const FORMS = readdirSync(".github/ISSUE_TEMPLATE").map((name) => `.github/ISSUE_TEMPLATE/${name}`);
const WORKFLOWS = readdirSync(".github/workflows").map((name) => `.github/workflows/${name}`);

function parsed(path: string) {
  const document = parseDocument(text(path));
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

test.each(["CONTRIBUTING.md", ".github/PULL_REQUEST_TEMPLATE.md", ...WORKFLOWS])(
  "%s names scripts that exist",
  (path) => {
    const names = [...text(path).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  },
);

test("CONTRIBUTING.md names every script that a person runs", () => {
  const page = text("CONTRIBUTING.md").replace(/npm (?=test|start)/g, "npm run ");
  const names = Object.keys(scripts).filter((name) => name !== "prepack");
  expect(names.filter((name) => !new RegExp(`(?:npm run |\`)${name}\\b`).test(page))).toEqual([]);
});

test("CONTRIBUTING.md shows the checked layers", () => {
  const rows = [...text("CONTRIBUTING.md").matchAll(/^\| (\w+) \| (`.*) \|$/gm)].filter(
    ([, layer]) => layer! in LAYERS,
  );
  const shown = rows.map(([, layer, units]) => [
    layer,
    [...units!.matchAll(/`([\w-]+)`/g)].map(([, unit]) => unit).sort(),
  ]);
  expect(shown).toEqual(Object.entries(LAYERS).map(([layer, units]) => [layer, units.flat().sort()]));
});

test("the tests run on every supported version of Node, with read permission only", () => {
  const { jobs, permissions } = parsed(".github/workflows/ci.yml");
  expect(permissions).toEqual({ contents: "read" });
  expect(jobs.test.strategy.matrix.node).toEqual([20, 22, 24]);
  expect(engines.node).toMatch(/^>=20\./);
  const runs = jobs.test.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(runs).toEqual(["npm install", "npm run check", "npm test"]);
});

test.each(WORKFLOWS)("%s names the major version of each action", (path) => {
  const { jobs } = parsed(path);
  const steps = Object.values(jobs as Record<string, { steps: { uses?: string }[] }>).flatMap((job) => job.steps);
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([]);
});

test.each(FORMS)("%s is a valid GitHub form", (path) => {
  const form = parsed(path);
  if (path.endsWith("config.yml")) {
    expect(Object.keys(form)).toEqual(["blank_issues_enabled", "contact_links"]);
    return;
  }
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String), body: expect.any(Array) });
  const ids = form.body.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { type, attributes } of form.body) {
    expect(["input", "textarea", "dropdown", "checkboxes", "markdown"]).toContain(type);
    expect(attributes.label).toMatch(/\S/);
  }
});
