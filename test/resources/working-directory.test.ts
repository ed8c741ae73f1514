import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ENTRY = new URL("../../dist/index.js", import.meta.url).href;

it("keeps its directory when the process changes its working directory", async () => {
  const [first, second] = [temporaryDirectory(), temporaryDirectory()];
  const program = `
    import { KnowledgeBase } from ${JSON.stringify(ENTRY)};
    const kb = new KnowledgeBase({ directory: "notes", defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
    await kb.namespaces.create({ name: "Notes", slug: "notes" });
    process.chdir(${JSON.stringify(second)});
    await (await kb.ingest("notes", { type: "TEXT", text: "The lamp is lit at dusk." })).done();
    console.log((await kb.search("notes", "lamp")).length);
    await kb.close();`;
  const arguments_ = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, { cwd: first });
  expect(stdout.trim()).toBe("1");
  expect(readdirSync(second)).toEqual([]);
  expect(readdirSync(join(first, "notes"))).toContain("lorebase.db");
});
