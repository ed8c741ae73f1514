import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { evaluateTable, PAIRS } from "./stages/evaluate-table.js";
import { foldCollections, foldShards } from "./stages/fold-text.js";
import { packTable } from "./stages/pack-table.js";
import { runNative } from "./stages/run-native.js";

// `npm run train -- --text DIR --out DIR`: from text to a packed table, by stages that leave their results in files.

const STAGES = ["fold", "prepare", "train", "pack", "evaluate"] as const;
const USAGE = `Usage: npm run train -- --text DIR --out DIR [options]

  --text DIR         training text: shards (*.txt, *.txt.zst; training/README.md tells their format) and Markdown (*.md)
  --out DIR          where the stages leave their files; the table is table.bin
  --collection DIR   a test collection in the BEIR layout, to measure by: what overlaps with it is not trained on (repeatable)
  --without SOURCE   a source of the shards that is passed over (repeatable)
  --from STAGE       begin with a later stage: ${STAGES.join(", ")}
  --set NAME=VALUE   a setting of training (repeatable; training/native/settings.h has all, with their defaults)
  --pieces N         size of the vocabulary (default: 30000)`;

/** How often a group of pairs is drawn in an epoch; groups that are not named, once. */
const WEIGHTS = "tech_docs=0.6,gov_business=1.5,openstax=1.3,medical=1.5,arxiv=0.8,books=0.7";

const { values: options } = parseArgs({
  options: {
    text: { type: "string" },
    out: { type: "string" },
    collection: { type: "string", multiple: true, default: [] },
    without: { type: "string", multiple: true, default: [] },
    from: { type: "string", default: STAGES[0] },
    set: { type: "string", multiple: true, default: [] },
    pieces: { type: "string", default: "30000" },
  },
});

function refuse(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}\n`);
  process.exit(2);
}

async function main(text: string, out: string, first: number): Promise<void> {
  await mkdir(out, { recursive: true });
  const file = (name: string) => join(out, name);
  const vocabulary = file("vocabulary.txt");
  const stages: Record<(typeof STAGES)[number], () => Promise<void>> = {
    async fold() {
      await foldCollections([...options.collection, PAIRS], file("judged.txt"));
      await foldShards(text, file("folded.txt"), options.without);
    },
    prepare: () =>
      runNative("prepare", out, [
        file("folded.txt"),
        file("judged.txt"),
        options.pieces,
        WEIGHTS,
        vocabulary,
        file("pairs.bin"),
      ]),
    train: () => runNative("train", out, [file("pairs.bin"), vocabulary, file("table.f32"), ...options.set]),
    pack: () => packTable(file("table.f32"), vocabulary, file("table.bin")),
    evaluate: () => evaluateTable(file("table.bin"), options.collection, file("report.json")),
  };
  for (const stage of STAGES.slice(first)) {
    const start = performance.now();
    await stages[stage]();
    process.stdout.write(`${stage}: ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  }
}

if (options.text === undefined) refuse("--text is missing: there is no training text in the repository");
if (options.out === undefined) refuse("--out is missing");
const first = STAGES.indexOf(options.from as (typeof STAGES)[number]);
if (first < 0) refuse(`--from ${options.from} is no stage`);
for (const directory of [options.text, ...options.collection])
  if (!existsSync(directory)) refuse(`${resolve(directory)} does not exist`);
await main(options.text, resolve(options.out), first);
