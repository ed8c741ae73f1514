import { parseArgs } from "node:util";
import { setup, teardown } from "../support/postgres-server.js";
import { CampaignServer } from "./campaign-server.js";
import { postgresCampaign } from "./postgres-campaign.js";
import { postgresFaultCampaign } from "./postgres-fault-campaign.js";
import { readerCampaign } from "./reader-campaign.js";

// npm run campaign:postgres -- [tasks] [faults] [readers] [--seed 1] [--processes 3] [--pgbouncer] …; all three without a name
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    processes: { type: "string", default: "3" },
    pgbouncer: { type: "boolean", default: false },
    // tasks: 25,000 of them have 100,000 events
    tasks: { type: "string", default: "25000" },
    workers: { type: "string", default: "6" },
    "task-kills": { type: "string", default: "60" },
    "task-stops": { type: "string", default: "20" },
    // faults
    kills: { type: "string", default: "200" },
    stops: { type: "string", default: "100" },
    cuts: { type: "string", default: "100" },
    restarts: { type: "string", default: "25" },
    // readers
    interleavings: { type: "string", default: "10000" },
    concurrency: { type: "string", default: "3" },
  },
});
const [seed, processes, isPooled] = [Number(values.seed), Number(values.processes), values.pgbouncer];
const library = new URL("../../dist/index.js", import.meta.url).href;
const startedAt = performance.now();

const PARTS: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  /** Claims, fences and events, with leases of one second. */
  async tasks() {
    const kills = Number(values["task-kills"]);
    const counts = { tasks: Number(values.tasks), processes: Number(values.workers), kills };
    setup();
    try {
      const outcome = await postgresCampaign({ ...counts, stops: Number(values["task-stops"]), leaseMs: 1000 });
      return report("tasks", { ...counts, ...outcome }, outcome?.faults ?? ["There is no PostgreSQL server."]);
    } finally {
      await teardown();
    }
  },

  /** Knowledge bases in one database whose processes are killed, suspended and cut off, and whose server crashes. */
  faults: () =>
    onServer(async (server) => {
      const { kills, stops, cuts, restarts } = values;
      const rounds = { kill: Number(kills), stop: Number(stops), cut: Number(cuts), restart: Number(restarts) };
      const onRound = ({ rounds: done, faults }: { rounds: object; faults: readonly string[] }) => {
        if (faults.length > 0) console.log(faults.at(-1));
        console.log(`${seconds()} s: ${JSON.stringify(done)}`);
      };
      const { faults, ...figures } = await postgresFaultCampaign({ server, rounds, processes, seed, library, onRound });
      return report("faults", figures, faults);
    }),

  /** What the other processes find while and after one changes a document. */
  readers: () =>
    onServer(async (server) => {
      const onProgress = (count: number) => count % 500 === 0 && console.log(`${seconds()} s: ${count} changes`);
      const [interleavings, concurrency] = [Number(values.interleavings), Number(values.concurrency)];
      const options = { server, interleavings, concurrency, processes, seed, library, onProgress };
      const { faults, foundMs, ...figures } = await readerCampaign(options);
      const quantile = (share: number) => Math.round(foundMs[Math.floor((foundMs.length - 1) * share)] ?? 0);
      const found = {
        creations: foundMs.length,
        foundMs: { p50: quantile(0.5), p95: quantile(0.95), most: quantile(1) },
      };
      return report("readers", { ...figures, ...found }, faults);
    }),
};

async function onServer(run: (server: CampaignServer) => Promise<readonly string[]>): Promise<readonly string[]> {
  const server = await CampaignServer.start({ isPooled });
  if (!server) throw new Error("PostgreSQL is not installed.");
  try {
    return await run(server);
  } finally {
    await server.end();
  }
}

function report(part: string, figures: object, faults: readonly string[]): readonly string[] {
  for (const fault of faults) console.log(fault);
  console.log(
    JSON.stringify({ part, seed, seconds: seconds(), pgbouncer: isPooled, ...figures, faults: faults.length }),
  );
  return faults;
}

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1000);
}

for (const part of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const run = PARTS[part];
  if (!run) throw new Error(`"${part}" is no part of this campaign: ${Object.keys(PARTS).join(", ")}.`);
  if ((await run()).length > 0) process.exitCode = 1;
}
