import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/**
 * Measures the process's memory, processor time and event loop under the usual names of such metrics. Dispose the
 * result to stop.
 */
export function measureProcess(registry: Registry): Disposable {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(read());
      },
    });
  gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", () => {
    return (Date.now() - performance.now()) / 1000;
  });
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "Used memory of the heap.", () => process.memoryUsage().heapUsed);
  gauge("nodejs_external_memory_bytes", "Memory of buffers and native objects.", () => process.memoryUsage().external);
  let countedSeconds = 0;
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of all threads.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      const seconds = (user + system) / MICROSECONDS;
      this.inc(Math.max(0, seconds - countedSeconds));
      countedSeconds = seconds;
    },
  });
  return measureEventLoop(registry);
}

/** Measures the delay of the event loop since the last time that metrics were read. */
function measureEventLoop(registry: Registry): Disposable {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  const gauge = (statistic: string, read: (delays: IntervalHistogram) => number) =>
    new Gauge({
      name: `nodejs_eventloop_lag_${statistic}_seconds`,
      help: `Delay of the event loop since metrics were last read: ${statistic}.`,
      registers: [registry],
      collect() {
        // Without a sample there is no mean.
        this.set((read(delays) || 0) / NANOSECONDS);
      },
    });
  gauge("mean", ({ mean }) => mean);
  gauge("p50", () => delays.percentile(50));
  gauge("p99", () => delays.percentile(99));
  gauge("max", ({ max }) => {
    // The last of these gauges to be read.
    delays.reset();
    return max;
  });
  return { [Symbol.dispose]: () => void delays.disable() };
}
