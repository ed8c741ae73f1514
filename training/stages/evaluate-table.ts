import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** Fifty questions and answers without a common word, among other passages. */
export const PAIRS = fileURLToPath(new URL("../pairs", import.meta.url));
/** `--fail-below` has a measure reported; nothing is below 0. */
const ALSO_MEASURED = "recall@1=0,recall@5=0";

/** What of a report of `lorebase eval --json` is read. */
interface Report {
  readonly collection: string;
  readonly results: readonly {
    readonly name: string;
    readonly measures: Readonly<Record<string, { readonly mean: number }>>;
  }[];
}

/**
 * Stage 5. Measures a table as it would ship, with `lorebase eval` from the build: each collection by keywords, by the table alone and by
 * both, and the pairs without a common word by the table alone.
 */
export async function evaluateTable(table: string, collections: readonly string[], output: string): Promise<void> {
  const reports: object[] = [];
  for (const collection of [...collections, PAIRS]) {
    const { results, ...report } = await evaluate(collection, ["--embedding", "MANAGED_STATIC", "--model", table]);
    const means = results.map(({ name, measures }) => ({
      name,
      ...Object.fromEntries(Object.entries(measures).map(([measure, { mean }]) => [measure, Number(mean.toFixed(4))])),
    }));
    reports.push({ collection: report.collection, means });
    process.stdout.write(`${report.collection}\n`);
    for (const line of means) process.stdout.write(`  ${JSON.stringify(line)}\n`);
  }
  await writeFile(output, `${JSON.stringify(reports, null, 2)}\n`);
}

async function evaluate(collection: string, args: readonly string[]): Promise<Report> {
  const command = [CLI, "eval", collection, ...args, "--mode", "all", "--json", "--fail-below", ALSO_MEASURED];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "ignore"] });
  const parts: Buffer[] = [];
  child.stdout.on("data", (part) => parts.push(part));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`lorebase eval ${collection} ended with code ${code}`);
  return JSON.parse(Buffer.concat(parts).toString());
}
