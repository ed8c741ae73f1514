// Sixty modules, which importing the package would load: the build makes one file of what is used. Copies of the API
// find the SDK that the process has registered through a global of the API's own.
export {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from "@opentelemetry/api";
