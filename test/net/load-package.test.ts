import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { loadPackage } from "#dist/net/load-package.js";
import { failureOf } from "../support/knowledge-base.js";

const run = promisify(execFile);
const source = (path: string) => new URL(`../../dist/embedders/${path}`, import.meta.url).href;

/** Vendors' packages are looked for where nothing is installed, in a process of its own. */
const HOOKS = `
import { register } from "node:module";
const hooks = \`export function resolve(specifier, context, next) {
  const vendors = ["@ai-sdk/", "voyage-ai-provider"].some((name) => specifier.startsWith(name));
  return next(specifier, vendors ? { ...context, parentURL: process.env.NOWHERE } : context);
}\`;
register("data:text/javascript," + encodeURIComponent(hooks));
`;

it.each([
  ["openai/provider.js", "openAiProvider", "@ai-sdk/openai@3", {}],
  ["azure-openai/provider.js", "azureOpenAiProvider", "@ai-sdk/azure@3", { resourceName: "r", deployment: "d" }],
  ["voyage/provider.js", "voyageProvider", "voyage-ai-provider@4", {}],
  ["google/provider.js", "googleProvider", "@ai-sdk/google@3", {}],
])(
  "a package that isn't installed is one line with the command that installs it: %s",
  async (path, name, specifier, more) => {
    const script = `${HOOKS}
    const { ${name}: provider } = await import(${JSON.stringify(source(path))});
    const config = provider.config.parse({ provider: provider.provider, apiKey: "k", ...${JSON.stringify(more)} });
    const failure = await provider.create(config, { modelsDirectory: "", fetch }).catch((error) => error);
    console.log(JSON.stringify([failure.code, failure.retryable, failure.message]));`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, NOWHERE: "file:///nowhere/x.js" },
    });
    const bare = specifier.slice(0, specifier.lastIndexOf("@"));
    const message = `The package ${bare} is not installed. Install it with: npm install ${specifier}`;
    expect(JSON.parse(stdout)).toEqual(["not_ready", false, message]);
  },
);

it("a package that is there and doesn't load says why, in one line", async () => {
  const broken = () => Promise.reject(new Error("its binary is of another platform\nand more"));
  expect(await failureOf(() => loadPackage("vendor@1", broken))).toMatchObject({
    code: "not_ready",
    message:
      "The package vendor fails to load (its binary is of another platform). Install it with: npm install vendor@1",
  });
});
