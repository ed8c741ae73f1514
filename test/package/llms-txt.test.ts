import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const text = readFileSync("docs/llms.txt", "utf8");
const [head = "", ...sections] = text.split(/^## /m);
const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, target]) => target!);

test("docs/llms.txt has a title, a summary, and sections of links with a description each", () => {
  expect(head).toMatch(/^# Lorebase\n\n> \S.*\n\n/);
  expect(sections.length).toBeGreaterThan(2);
  const lines = sections.flatMap((section) => section.trim().split("\n").slice(2));
  expect(lines.filter((line) => !/^- \[[^\]]+\]\([^)]+\): \S/.test(line))).toEqual([]);
});

test("docs/llms.txt links to existing files, each once", () => {
  expect(links.filter((target) => !existsSync(join("docs", target)))).toEqual([]);
  expect(new Set(links).size).toBe(links.length);
});

test.each(["guide", "api"])("docs/llms.txt lists every page of docs/%s", (folder) => {
  const pages = readdirSync(join("docs", folder)).map((name) => `${folder}/${name}`);
  expect(links).toEqual(expect.arrayContaining(pages));
});
