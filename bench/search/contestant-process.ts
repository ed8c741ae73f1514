import { SYSTEMS, type SystemName } from "./contestants.js";
import type { Answers, Order } from "./orders.js";
import type { OpenSystem, Place } from "./system.js";
import type { Query } from "./workload.js";

// A contestant's own process: what it measures is its own memory, processor time and calls, and no message between processes.

const MEGABYTE = 1024 * 1024;

const system = await SYSTEMS[process.argv[2] as SystemName]();
let opened: OpenSystem | null = null;

process.on("message", (order: Order) => {
  obey(order).then(
    (answer) => process.send!({ answer }),
    (error) => process.send!({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send!({ answer: null });

function obey(order: Order): Promise<Answers[keyof Answers]> {
  if (order.do === "fill") return fill(order.place);
  if (order.do === "open") return open(order.place, order.first);
  if (order.do === "search") return search(order.queries);
  return close();
}

async function fill(place: Place): Promise<Answers["fill"]> {
  const started = performance.now();
  await system.fill(place);
  const seconds = (performance.now() - started) / 1000;
  const { user, system: kernel } = process.cpuUsage();
  return { seconds, cpuSeconds: (user + kernel) / 1e6, peakMb: peakMb() };
}

async function open(place: Place, first: Query): Promise<Answers["open"]> {
  const started = performance.now();
  opened = await system.open(place);
  const ready = performance.now();
  await opened.search(first);
  return { openMs: ready - started, firstMs: performance.now() - ready };
}

async function search(queries: readonly Query[]): Promise<Answers["search"]> {
  const before = process.cpuUsage();
  const timesMs: number[] = [];
  const names: (() => readonly number[])[] = [];
  for (const query of queries) {
    const started = performance.now();
    names.push(await opened!.search(query));
    timesMs.push(performance.now() - started);
  }
  const { user, system: kernel } = process.cpuUsage(before);
  return { timesMs, cpuMs: (user + kernel) / 1000, found: names.map((rows) => rows()) };
}

async function close(): Promise<Answers["close"]> {
  const rssMb = process.memoryUsage().rss / MEGABYTE;
  await opened?.close();
  return { rssMb, peakMb: peakMb() };
}

function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}
