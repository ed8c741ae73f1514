import { parseArgs } from "node:util";
import { measureWorstFile } from "./worst-file-campaign.js";
import { WORST_FILES } from "./worst-file-list.js";

// npm run campaign:worst-files -- [--only json]
const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const files = WORST_FILES.filter(({ name }) => name.includes(values.only));
console.log("| file | MB | outcome | peak over idle, MB | parsing, s | left, MB |");
console.log("|---|---:|---|---:|---:|---:|");
const faults: string[] = [];
for (const file of files) {
  const result = await measureWorstFile(file);
  const { name, sizeMb, outcome, peakMb, seconds, leftMb } = result;
  const figures = [peakMb.toFixed(0), seconds.toFixed(1), leftMb.toFixed(0)].join(" | ");
  console.log(`| ${name} | ${sizeMb.toFixed(1)} | ${outcome.replaceAll("|", "\\|").slice(0, 120)} | ${figures} |`);
  faults.push(...result.faults);
}
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
