import { traced } from "../telemetry/traced.js";
import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from "../vendor/opentelemetry.js";
import type { Route } from "./route.js";

const HEADERS: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/**
 * Runs the answer to a request in a span: a child of the host's span if its server has one, else of the trace that the
 * request's headers name (`traceparent`, by the propagator that the process has registered).
 */
export function traceRequest(
  request: Request,
  requestId: string,
  answer: (span: Span) => Promise<Response>,
): Promise<Response> {
  const active = context.active();
  const isInSpan = trace.getSpan(active) !== undefined;
  const parent = isInSpan ? active : propagation.extract(active, request.headers, HEADERS);
  const attributes = { "http.request.method": request.method, "lorebase.request.id": requestId };
  const kind = isInSpan ? SpanKind.INTERNAL : SpanKind.SERVER;
  return context.with(parent, () => traced("HTTP", attributes, answer, { kind }));
}

/** Names the span of a request by its route, and adds its status. The path may have ids and signatures. */
export function describeAnswer(span: Span, route: Route | null, status: number): void {
  if (route) span.updateName(`${route.method} ${route.path}`).setAttribute("http.route", route.path);
  span.setAttribute("http.response.status_code", status);
  if (status < 500) return;
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute("error.type", String(status));
}
