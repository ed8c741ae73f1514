import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const directory = join(folder, "kb");

/** The output of a command with --json. */
async function run(...words: string[]) {
  const { code, stdout, stderr } = await lorebaseHere([...words, "-d", directory, "--json"]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const found = async (...flags: string[]) =>
  (await run("search", "lamp", "-m", "keyword", ...flags)).hits.map(({ text }: { text: string }) => text);

beforeAll(async () => {
  const file = join(folder, "lamp.txt");
  writeFileSync(file, "The lamp.");
  await run("ingest", file, "--embedding", "MANAGED_LEXICAL", "--allow", "group:eng", "--allow", "user:7");
});

it("shows what principals may see, and changes who may see it", async () => {
  expect(await found()).toEqual(["The lamp."]);
  expect(await found("--principal", "group:ops", "--principal", "user:7")).toEqual(["The lamp."]);
  expect(await found("--principal", "group:ops")).toEqual([]);
  expect((await run("passages", "--principal", "group:ops")).total).toBe(0);
  expect((await run("documents", "list", "--principal", "group:ops")).documents).toEqual([]);
  const [{ id }] = (await run("documents", "list", "--principal", "user:7")).documents;
  await run("documents", "allow", id, "--allow", "group:ops");
  expect(await found("--principal", "user:7")).toEqual([]);
  expect((await run("ask", "Which lamp?", "--principal", "group:ops")).passages).toHaveLength(1);
  const { code, stderr } = await lorebaseHere(["documents", "allow", id, "-d", directory]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("needs --allow or --allow-all") });
  await run("documents", "allow", id, "--allow-all");
  expect(await found("--principal", "nobody")).toEqual(["The lamp."]);
});

it("binds a key to principals", async () => {
  const key = await run("keys", "create", "--name", "eng", "--principal", "group:eng");
  expect(key).toMatchObject({ scope: "read", principals: ["group:eng"] });
});
