import { parseArgs } from "node:util";
import { type SoakOutcome, soakCampaign } from "./soak-campaign.js";

// npm run campaign:soak -- [--minutes 30] [--warm-up 5] [--documents 5000] [--searches 500] [--writes 10] [--seed 1]
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "warm-up": { type: "string" },
    documents: { type: "string", default: "5000" },
    searches: { type: "string", default: "500" },
    writes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const minutes = Number(values.minutes);
const warmUpMinutes = Number(values["warm-up"] ?? minutes / 6);
const plan = {
  documents: Number(values.documents),
  searchesPerSecond: Number(values.searches),
  writesPerSecond: Number(values.writes),
  seed: Number(values.seed),
};

/** Milliseconds from the time for which a search was scheduled. */
const MAX_P99_MS = 50;
const MAX_SLOPE_MB_PER_MINUTE = 1;
/** Of open files and sockets. */
const MAX_RISE = 2;
const MAX_WAL_MB = 64;

function findExceeded(outcome: SoakOutcome): readonly string[] {
  const { latency, residentMb, descriptors, maxWalMb, errors } = outcome;
  const limits: readonly [name: string, value: number, max: number][] = [
    ["errors", errors, 0],
    ["p99 of searches in ms", latency.p99, MAX_P99_MS],
    ["memory slope in MB a minute", residentMb.slopePerMinute, MAX_SLOPE_MB_PER_MINUTE],
    ["rise of open descriptors", descriptors.last - descriptors.first, MAX_RISE],
    ["largest WAL in MB", maxWalMb, MAX_WAL_MB],
  ];
  return limits.filter(([, value, max]) => !(value <= max)).map(([name, value, max]) => `${name}: ${value} > ${max}`);
}

let nextLine = 0;
const outcome = await soakCampaign({
  ...plan,
  seconds: minutes * 60,
  warmUpSeconds: warmUpMinutes * 60,
  onSample(sample) {
    if (sample.seconds < nextLine) return;
    nextLine += Math.max(10, minutes * 2);
    console.log(JSON.stringify(rounded(sample)));
  },
});
const { shown, ...figures } = outcome;
for (const error of shown) console.log(error);
const exceeded = findExceeded(outcome);
console.log(JSON.stringify(rounded({ minutes, warmUpMinutes, plan, ...figures, exceeded })));
process.exitCode = exceeded.length > 0 ? 1 : 0;

/** With at most two decimals. */
function rounded<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === "number" ? Math.round(each * 100) / 100 : each)),
  );
}
