import { SYSTEMS, type SystemName } from "./candidates.js";
import type { Command, Results } from "./protocol.js";
import type { OpenSystem, Setup } from "./system.js";
import type { Query } from "./workload.js";

// The process of one system. It measures its own memory, processor time and calls, without messages between processes.

const MEGABYTE = 1024 * 1024;

const system = await SYSTEMS[process.argv[2] as SystemName]();
let opened: OpenSystem | null = null;

process.on("message", (command: Command) => {
  handle(command).then(
    (result) => process.send!({ result }),
    (error) => process.send!({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send!({ result: null });

function handle(command: Command): Promise<Results[keyof Results]> {
  if (command.do === "fill") return fill(command.setup);
  if (command.do === "open") return open(command.setup, command.first);
  if (command.do === "search") return search(command.queries);
  return close();
}

async function fill(setup: Setup): Promise<Results["fill"]> {
  const started = performance.now();
  await system.fill(setup);
  const seconds = (performance.now() - started) / 1000;
  const { user, system: kernel } = process.cpuUsage();
  return { seconds, cpuSeconds: (user + kernel) / 1e6, peakMb: peakMb() };
}

async function open(setup: Setup, first: Query): Promise<Results["open"]> {
  const started = performance.now();
  opened = await system.open(setup);
  const ready = performance.now();
  await opened.search(first);
  return { openMs: ready - started, firstMs: performance.now() - ready };
}

async function search(queries: readonly Query[]): Promise<Results["search"]> {
  const before = process.cpuUsage();
  const timesMs: number[] = [];
  const rowGetters: (() => readonly number[])[] = [];
  for (const query of queries) {
    const started = performance.now();
    rowGetters.push(await opened!.search(query));
    timesMs.push(performance.now() - started);
  }
  const { user, system: kernel } = process.cpuUsage(before);
  return { timesMs, cpuMs: (user + kernel) / 1000, found: rowGetters.map((getRows) => getRows()) };
}

async function close(): Promise<Results["close"]> {
  const rssMb = process.memoryUsage().rss / MEGABYTE;
  await opened?.close();
  return { rssMb, peakMb: peakMb() };
}

function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}
