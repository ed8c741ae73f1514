import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";
import { ROUTES } from "#dist/http/routes/index.js";
import { errorAnswer, paginationAnswer } from "#dist/http/wire.js";
import type { Route } from "../../../src/http/route.js";
import type { Exchange } from "./interface-client.js";

/** The parts of an OpenAPI document that tests look into. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Partial<Content>>>;
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

export async function fetchOpenApi(url: string): Promise<OpenApi> {
  return (await fetch(`${url}/v1/openapi.json`)).json() as Promise<OpenApi>;
}

/** JSON Schema of the 2020 dialect, as OpenAPI 3.1 has it; `#/…` leads into the document. */
export function openApiValidator(document: OpenApi): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.addSchema(document, "openapi");
}

/** Holds every answer against the schemas of its route, as the code has them and as the served document does. */
export class AnswerChecks {
  readonly faults: string[] = [];
  /** Statuses by operation, of what was checked. */
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
    const schema = `openapi#${pointer("paths", template, method.toLowerCase(), "responses", String(status), "content", "application/json", "schema")}`;
    if (!this.#document.paths[template]?.[method.toLowerCase()]?.responses[status]) {
      this.faults.push(`${route.operationId}: the document has no answer ${status}`);
    } else if (!this.#ajv.validate({ $ref: schema }, body)) {
      this.faults.push(`${route.operationId} ${status}: ${this.#ajv.errorsText()}`);
    }
  };
}

function routeOf(method: string, path: string): Route | undefined {
  return ROUTES.find(
    (route) => route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, "[^/]+")}$`).test(path),
  );
}

/** The whole envelope: no key beyond the interface's own. */
function zodSchema({ answer, list }: Route, status: number): z.ZodType {
  if (status >= 400) return errorAnswer;
  const data = answer ?? z.never();
  const success = z.literal(true);
  return list
    ? z.strictObject({ success, data: data.array(), pagination: paginationAnswer })
    : z.strictObject({ success, data });
}

/** RFC 6901, within a URL. */
function pointer(...steps: readonly string[]): string {
  return steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");
}
