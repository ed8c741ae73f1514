import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** The parts of an OpenAPI document that tests use. */
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

/** A validator of JSON Schema 2020-12, the dialect of OpenAPI 3.1; `#/…` refers to the document. */
export function openApiValidator(document: OpenApi): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.addSchema(document, "openapi");
}

/** The reference to the schema of an operation's response. */
export function answerSchema(path: string, method: string, status: number): string {
  const steps = [
    "paths",
    path,
    method.toLowerCase(),
    "responses",
    String(status),
    "content",
    "application/json",
    "schema",
  ];
  return `openapi#${pointer(...steps)}`;
}

/** RFC 6901, in a URL. */
function pointer(...steps: readonly string[]): string {
  return steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");
}
