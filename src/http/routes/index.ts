import type { Route } from "../route.js";
import { blobRoutes } from "./blobs.js";
import { chatRoutes } from "./chat.js";
import { clickRoutes } from "./clicks.js";
import { documentRoutes } from "./documents.js";
import { evaluationRoutes } from "./evaluations.js";
import { goldenQuestionRoutes } from "./golden-questions.js";
import { healthRoutes } from "./health.js";
import { hostingRoutes } from "./hosting.js";
import { ingestJobRoutes } from "./ingest-jobs.js";
import { namespaceRoutes } from "./namespaces.js";
import { reembeddingRoutes } from "./reembedding.js";
import { searchRoutes } from "./search.js";
import { serviceRoutes } from "./service.js";
import { uploadRoutes } from "./uploads.js";
import { usageRoutes } from "./usage.js";
import { webhookRoutes } from "./webhooks.js";

/** All routes of the API. The OpenAPI document is generated from them. */
export const ROUTES: readonly Route[] = [
  ...namespaceRoutes,
  ...reembeddingRoutes,
  ...ingestJobRoutes,
  ...documentRoutes,
  ...searchRoutes,
  ...chatRoutes,
  ...healthRoutes,
  ...clickRoutes,
  ...goldenQuestionRoutes,
  ...evaluationRoutes,
  ...uploadRoutes,
  ...hostingRoutes,
  ...usageRoutes,
  ...webhookRoutes,
  ...blobRoutes,
  ...serviceRoutes(() => ROUTES),
];
