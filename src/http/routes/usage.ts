import { usageSchema } from "../response-schemas.js";
import { route } from "../route.js";

export const usageRoutes = [
  route({
    operationId: "getUsage",
    summary: "Read what the organization stores, and the limits of its quota",
    method: "GET",
    path: "/v1/usage",
    access: "read",
    response: usageSchema,
    run: ({ organization, signal }) => organization.usage({ signal }),
  }),
];
