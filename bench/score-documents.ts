import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// Scores the built parsers with the scorer of a document corpus. Passes other options on to the scorer.
const args = process.argv.slice(2);
const at = args.indexOf("--corpora");
const [, folder = "../shared/corpora"] = at === -1 ? [] : args.splice(at, 2);
const corpora = resolve(folder);

if (existsSync(join(corpora, "score.mjs"))) process.exitCode = await score(corpora, args);
else console.log(`Nothing to score: there is no document corpus at ${corpora} (--corpora DIR names another folder).`);

async function score(corpora: string, options: readonly string[]): Promise<number> {
  const work = await mkdtemp(join(tmpdir(), "lorebase-score-"));
  try {
    const adapter = join(work, "adapter.mjs");
    const parse = new URL("../dist/parse.js", import.meta.url).href;
    await writeFile(
      adapter,
      `import { parseFile } from ${JSON.stringify(parse)};
export default async (path) => {
  const { markdown, pages } = await parseFile(path);
  return { markdown, pages };
};
`,
    );
    return await run(await prepareScorer(corpora, work), ["--module", adapter, ...options]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The scorer expects its files in `corpus`. If they are in `documents`, a copy of the scorer gets links to them. */
async function prepareScorer(corpora: string, work: string): Promise<string> {
  if (existsSync(join(corpora, "corpus")) || !existsSync(join(corpora, "documents"))) return join(corpora, "score.mjs");
  for (const name of await readdir(corpora)) {
    if (name.endsWith(".mjs")) await copyFile(join(corpora, name), join(work, name));
  }
  await mkdir(join(work, "corpus"));
  await symlink(join(corpora, "documents"), join(work, "corpus", "dev"));
  return join(work, "score.mjs");
}

function run(script: string, options: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [script, ...options], { stdio: "inherit" });
  return new Promise((done, fail) => {
    child.on("error", fail).on("exit", (code) => done(code ?? 1));
  });
}
