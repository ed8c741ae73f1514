import type { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { errorResponseSchema, paginationSchema } from "#dist/http/response-schemas.js";
import { ROUTES } from "#dist/http/routes/index.js";
import type { Route } from "../../../src/http/route.js";
import type { Exchange } from "./interface-client.js";
import { answerSchema, type OpenApi, openApiValidator } from "./openapi.js";

/** Validates every response by the schemas of its route, both those in code and those of the served document. */
export class AnswerChecks {
  readonly faults: string[] = [];
  /** The statuses that were checked, by operation. */
  readonly seen = new Map<string, Set<number>>();
  readonly #document: OpenApi;
  readonly #ajv: Ajv2020;

  constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv = openApiValidator(document);
  }

  readonly check = (exchange: Exchange): void => {
    const { method, path, status, body } = exchange;
    const route = routeOf(method, path);
    if (!route) {
      this.faults.push(`${method} ${path}: no route`);
      return;
    }
    this.seen.set(route.operationId, (this.seen.get(route.operationId) ?? new Set()).add(status));
    const parsed = zodSchema(route, status).safeParse(body);
    if (!parsed.success) this.faults.push(`${route.operationId} ${status}: ${parsed.error.message}`);
    const template = route.path.replace(/:(\w+)/g, "{$1}");
    // By its reference a schema is compiled once, as `{ $ref }` it would be each time.
    const validate = this.#ajv.getSchema(answerSchema(template, method, status));
    if (!this.#document.paths[template]?.[method.toLowerCase()]?.responses[status]) {
      this.faults.push(`${route.operationId}: the document has no answer ${status}`);
    } else if (!validate!(body)) {
      this.faults.push(`${route.operationId} ${status}: ${this.#ajv.errorsText(validate!.errors)}`);
    }
  };
}

function routeOf(method: string, path: string): Route | undefined {
  return ROUTES.find(
    (route) => route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, "[^/]+")}$`).test(path),
  );
}

/** The whole envelope, without other keys. */
function zodSchema({ response, list }: Route, status: number): z.ZodType {
  if (status >= 400) return errorResponseSchema;
  const data = response ?? z.never();
  const success = z.literal(true);
  return list
    ? z.strictObject({ success, data: data.array(), pagination: paginationSchema })
    : z.strictObject({ success, data });
}
