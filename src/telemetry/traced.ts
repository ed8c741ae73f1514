import { KnowledgeBaseError } from "../errors.js";
import {
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from "../vendor/opentelemetry.js";

/** The name of the tracer. */
const TRACER = "lorebase";

export interface TraceOptions {
  readonly kind?: SpanKind;
  /** Whether the span begins a trace, whatever span is active. @default false */
  readonly root?: boolean;
}

/**
 * Runs work in a span of OpenTelemetry, a child of the active one. Does nothing else unless the process has registered
 * an SDK. Attributes must not contain texts, queries, keys or names of tenants.
 */
export function traced<Result>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<Result>,
  options: TraceOptions = {},
): Promise<Result> {
  return trace.getTracer(TRACER).startActiveSpan(name, { attributes, ...options }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Starts a span, which the caller ends. Spans that are started before its end are not its children. */
export function startSpan(name: string, options?: SpanOptions, parent?: Context): Span {
  return trace.getTracer(TRACER).startSpan(name, options, parent);
}

/** Marks a span as failed, by the error's code alone: messages may quote texts and queries. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute("error.type", errorType(error));
}

function errorType(error: unknown): string {
  if (KnowledgeBaseError.is(error)) return error.code;
  return error instanceof Error ? error.name : "unknown";
}
