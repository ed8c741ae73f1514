import { context, propagation, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";

export interface RecordedSpans {
  /** The ended spans, in the order of their end. */
  all(): readonly ReadableSpan[];
  /** The only span with a name. */
  one(name: string): ReadableSpan;
  childrenOf(span: ReadableSpan): readonly string[];
  clear(): void;
  /** Takes the SDK back. */
  stop(): Promise<void>;
}

/** Registers an SDK of OpenTelemetry in this process, whose spans stay in memory. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const all = () => exporter.getFinishedSpans();
  return {
    all,
    one(name) {
      const found = all().filter((span) => span.name === name);
      if (found.length === 1) return found[0]!;
      throw new Error(`${found.length} spans are named ${name}: ${all().map((span) => span.name)}`);
    },
    childrenOf: (parent) =>
      all()
        .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent.spanContext().spanId)
        .map(({ name }) => name)
        .sort(),
    clear: () => exporter.reset(),
    async stop() {
      trace.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
    },
  };
}
