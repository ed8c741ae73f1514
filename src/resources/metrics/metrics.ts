import { Gauge, Registry } from "prom-client";
import type { Engine } from "../../engine/engine.js";
import { packageVersion } from "../../util/package-version.js";
import { DatabaseMetrics } from "./database-metrics.js";
import { countEvents } from "./event-metrics.js";
import { measureProcess } from "./process-metrics.js";

const CIRCUIT_STATES = ["closed", "open", "half_open"] as const;

/** The metrics of a knowledge base in this process, from when it was opened until it is closed. */
export class Metrics {
  readonly #engine: Engine;
  readonly #registry = new Registry();
  readonly #database: DatabaseMetrics;
  readonly #circuits: Gauge<"provider" | "state">;
  readonly #measurements: readonly Disposable[];

  constructor(engine: Engine) {
    const registers = [this.#registry];
    this.#engine = engine;
    this.#database = new DatabaseMetrics(engine, this.#registry);
    this.#circuits = new Gauge({
      name: "lorebase_circuits",
      help: "Circuit breakers of providers' endpoints by state.",
      labelNames: ["provider", "state"],
      registers,
    });
    new Gauge({
      name: "lorebase_build_info",
      help: "1, with the version of Lorebase.",
      labelNames: ["version"],
      registers,
    }).set({ version: packageVersion() }, 1);
    this.#measurements = [countEvents(engine.events, this.#registry), measureProcess(this.#registry)];
  }

  /** Returns the metrics in Prometheus's text format, version 0.0.4. */
  async text(): Promise<string> {
    await this.#database.update();
    this.#circuits.reset();
    for (const { provider, state } of this.#engine.circuits()) {
      for (const each of CIRCUIT_STATES) this.#circuits.inc({ provider, state: each }, each === state ? 1 : 0);
    }
    return this.#registry.metrics();
  }

  close(): void {
    for (const measurement of this.#measurements) measurement[Symbol.dispose]();
  }
}
