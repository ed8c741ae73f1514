import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tei } from "../../examples/custom-driver/tei.js";
import { ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { type ScriptedServer, tooMany } from "../support/vendors/scripted-server.js";
import { DIMENSIONS, teiServer } from "../support/vendors/text-embeddings-inference.js";

const FILES = ["examples/custom-driver/tei.ts", "examples/custom-driver/tei.contract.ts"];
const page = readFileSync("docs/guide/custom-drivers.md", "utf8");
const codeOf = (path: string) => readFileSync(path, "utf8");

it("shows the driver and its tests as they are, in fewer than sixty lines of code", () => {
  for (const path of FILES) expect(page).toContain(`\`\`\`ts\n${codeOf(path)}\`\`\``);
  const lines = FILES.flatMap((path) => codeOf(path).split("\n")).filter((line) => /\S/.test(line));
  expect(lines.length).toBeLessThan(60);
});

/** Runs the command of the page against a server, and gives what it prints. */
async function runContract(server: ScriptedServer) {
  const command = page.match(/^TEI_URL=\S+ (?:\S+=\S+ )*node (.*)$/m)?.[1]?.split(" ") ?? [];
  const env = {
    ...process.env,
    TEI_URL: server.origin,
    TEI_MODEL: "fake-1",
    TEI_DIMENSIONS: String(DIMENSIONS),
    TSX_TSCONFIG_PATH: resolve("examples/tsconfig.json"),
  };
  const run = promisify(execFile)(process.execPath, command, { env, cwd: "examples/custom-driver" });
  return run
    .then(({ stdout }) => ({ ok: true, stdout }))
    .catch(({ stdout }) => ({ ok: false, stdout: String(stdout) }));
}

it("passes the contract by the page's command, and fails it where a server breaks a promise", async () => {
  const server = await teiServer();
  const passed = await runContract(server);
  expect(passed.stdout).toMatch(/fail 0/);
  expect(passed.stdout).toMatch(/pass [1-9]\d*/);
  expect(passed.ok).toBe(true);
  server.failWhen(({ path }) => {
    if (path !== "/embed") return undefined;
    return (answer) => ({ ...answer, body: JSON.stringify(JSON.parse(String(answer.body)).toReversed()) });
  });
  const failed = await runContract(server);
  expect(failed.ok).toBe(false);
  expect(failed.stdout).toMatch(/keeps the order of the texts/);
});

it("serves a knowledge base, which repeats what the service was too busy for", async () => {
  const server = await teiServer();
  const kb = openKnowledgeBase({
    embedders: [tei],
    calls: { backoffMs: 1 },
    network: { allowPrivateHosts: ["127.0.0.1"] },
  });
  const handle = await newNamespace(kb, {
    embeddingConfig: { provider: "TEI", baseUrl: server.origin, model: "fake-1", dimensions: DIMENSIONS },
  });
  server.failNext(tooMany({ error: "Model is overloaded", error_type: "Overloaded" }));
  await ingestTexts(handle, ["a lamp in fog", "bread and butter"]);
  const [hit] = await handle.search("lamp", { mode: "semantic" });
  expect(hit!.text).toBe("a lamp in fog");
  await kb.close();
});
