export type { Authenticate } from "./authenticate.js";
export { createHandler, type Handler } from "./create-handler.js";
export { toNodeHandler } from "./node.js";
export type { HandlerLimits, HandlerOptions, RequestLog } from "./options.js";
export type { PageEmail, PageLimits, PageOptions } from "./page/page-options.js";
export type { Caller } from "./route.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
export { type ServeMetricsOptions, serveMetrics } from "./serve-metrics.js";
export type { UiMessageChunk, WireCitation, WirePassage } from "./ui-message-stream/ui-message-chunk.js";
