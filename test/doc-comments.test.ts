import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as lorebase from "lorebase";
import * as aiSdk from "lorebase/ai-sdk";
import * as crawl from "lorebase/crawl";
import * as evaluate from "lorebase/evaluate";
import * as http from "lorebase/http";
import * as parse from "lorebase/parse";
import * as testing from "lorebase/testing";
import * as webhooks from "lorebase/webhooks";
import { expect, it } from "vitest";
import { docExamples } from "./support/doc-examples.js";
import { temporaryDirectory } from "./support/temporary-directory.js";

it.each([
  ["IngestConfig", "src/types.ts"],
  ["HostingSettings", "src/resources/hosting-settings.ts"],
  ["HostingPatch", "src/resources/hosting-settings.ts"],
])("every field of %s has a doc comment", (name, path) => {
  const [, after = ""] = readFileSync(path, "utf8").split(new RegExp(`^export interface ${name}\\b.*$`, "m"));
  const lines = after.slice(0, after.indexOf("\n}")).split("\n");
  const fields = [...lines.keys()].filter((at) => /^ {2}readonly \w+\??:/.test(lines[at]!));
  expect(fields.length).toBeGreaterThan(0);
  const bare = fields.filter((at) => !lines[at - 1]?.endsWith("*/"));
  expect(bare.map((at) => lines[at]!.trim())).toEqual([]);
});

/** What the examples use without saying where it comes from. */
const GIVEN = `
import type { AiSdkEmbeddingModel, Answer, CitedHit, KnowledgeBase, NamespaceHandle, Parser } from "lorebase";
import type { ParserSample } from "lorebase/testing";
declare global {
  const kb: KnowledgeBase;
  const handbook: NamespaceHandle;
  const hit: CitedHit, page: CitedHit, video: CitedHit;
  const answer: Answer & { readonly citations: readonly [Answer["citations"][number]] };
  const mistral: { embedding(model: string): AiSdkEmbeddingModel };
  const textParser: Parser, sample: ParserSample;
  const create: () => Promise<never>;
  const request: Request;
  const test: (name: string, run: () => Promise<void>) => void;
}
`;
const ENTRIES = {
  lorebase,
  "lorebase/ai-sdk": aiSdk,
  "lorebase/crawl": crawl,
  "lorebase/evaluate": evaluate,
  "lorebase/http": http,
  "lorebase/parse": parse,
  "lorebase/testing": testing,
  "lorebase/webhooks": webhooks,
};
const SOURCES = {
  lorebase: "src/index.ts",
  "lorebase/ai-sdk": "src/agents/ai-sdk.ts",
  "lorebase/crawl": "src/crawl/index.ts",
  "lorebase/evaluate": "src/evaluate/index.ts",
  "lorebase/http": "src/http/index.ts",
  "lorebase/parse": "src/parse.ts",
  "lorebase/testing": "src/testing/index.ts",
  "lorebase/webhooks": "src/webhooks/index.ts",
};

/** Imports what the code uses of the entries and doesn't import itself. */
function withImports(code: string): string {
  const given = /^import .* from "lorebase/m.test(code) ? [] : Object.entries(ENTRIES);
  const imports = given.flatMap(([entry, values]) => {
    const names = Object.keys(values).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
    return names.length > 0 ? [`import { ${names.join(", ")} } from "${entry}";`] : [];
  });
  return [...imports, code, "export {};\n"].join("\n");
}

it("every example in a doc comment compiles", () => {
  const examples = docExamples("src");
  expect(examples.length).toBeGreaterThan(15);
  const folder = temporaryDirectory();
  const names = new Map(examples.map(({ place }, index) => [`example-${index}.ts`, place]));
  for (const [index, { code }] of examples.entries())
    writeFileSync(join(folder, `example-${index}.ts`), withImports(code));
  writeFileSync(join(folder, "given.d.ts"), GIVEN);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    paths: Object.fromEntries(Object.entries(SOURCES).map(([entry, path]) => [entry, [resolve(path)]])),
    typeRoots: [resolve("node_modules/@types")],
  };
  const config = { extends: resolve("tsconfig.json"), compilerOptions, include: [folder] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  expect(errorsOf(folder).map((line) => line.replace(/^\S*?(example-\d+\.ts)/, (_, name) => names.get(name)!))).toEqual(
    [],
  );
});

function errorsOf(folder: string): string[] {
  try {
    execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
    return [];
  } catch (error) {
    return String((error as { stdout: string }).stdout)
      .trim()
      .split("\n");
  }
}
