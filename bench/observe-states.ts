import { context, propagation, trace } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
} from "@opentelemetry/sdk-trace-node";

/**
 * What the benchmark `observe` compares. With `context`, an SDK of OpenTelemetry records nothing, but follows the calls of
 * the whole process: up to Node 23, each promise costs more then. With `spans`, it records everything.
 */
export const STATES = ["off", "metrics", "context", "spans", "both"] as const;
export type Observed = (typeof STATES)[number];

export function isCounting(state: Observed): boolean {
  return state === "metrics" || state === "both";
}

/** Starts the SDK of a state, if it has one. It exports to nowhere. */
export function startSdk(state: Observed): Disposable | null {
  if (state === "off" || state === "metrics") return null;
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  };
  const provider = new NodeTracerProvider({
    sampler: state === "context" ? new AlwaysOffSampler() : new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return {
    [Symbol.dispose]: () => {
      trace.disable();
      context.disable();
      propagation.disable();
      void provider.shutdown();
    },
  };
}
