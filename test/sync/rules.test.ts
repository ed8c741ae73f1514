import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runScript } from "../support/run-script.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const SYNC = `
  const { KnowledgeBase } = await import(dist + "index.js");
  const [directory, dir, languageCode] = argv;
  const kb = new KnowledgeBase({ directory, defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
  await kb.namespaces.create({ name: "n1", slug: "n1" }).catch(() => {});
  const { added, changed, unchanged } = await (await kb.sync("n1", { dir }, languageCode ? { languageCode } : {})).done();
  console.log(JSON.stringify({ added, changed, unchanged }));
  await kb.close();`;

it("ingests documents again once an OCR model for their language is installed, and no others", async () => {
  const [directory, dir, packages] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
  writeFileSync(join(dir, "a.md"), "Alpha.");
  const model = join(packages, "@tesseract.js-data/deu");
  mkdirSync(join(model, "4.0.0"), { recursive: true });
  writeFileSync(join(model, "package.json"), "{}");
  writeFileSync(join(model, "4.0.0/deu.traineddata.gz"), "");
  const sync = async (languageCode?: string, nodePath = "") => {
    const before = `export NODE_PATH='${nodePath}'`;
    const { stdout, stderr } = await runScript(SYNC, [directory, dir, ...(languageCode ? [languageCode] : [])], before);
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  };
  const [added, changed, unchanged] = ["added", "changed", "unchanged"].map((key) => {
    return { added: [], changed: [], unchanged: [], [key]: ["a.md"] };
  });
  expect(await sync("de")).toEqual(added);
  expect(await sync("de")).toEqual(unchanged);
  expect(await sync("de", packages)).toEqual(changed);
  expect(await sync("de", packages)).toEqual(unchanged);
  expect(await sync()).toEqual(changed);
  expect(await sync(undefined, packages)).toEqual(unchanged);
});
