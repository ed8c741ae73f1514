import type { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { failureFault } from "../http/support/failure-fault.js";
import { answerSchema, fetchOpenApi, type OpenApi, openApiValidator } from "../http/support/openapi.js";
import { type Received, type Sent, send } from "../http/support/send.js";
import { startServer, type TestServer } from "../http/support/test-server.js";
import { makeWorld, type World } from "../http/support/world.js";
import { type Drawn, drawnRequest } from "./http-requests.js";

export interface HttpFuzzOptions {
  readonly requests: number;
  readonly seed: number;
  onProgress?(sent: number): void;
}

export interface HttpFuzzOutcome {
  /** What was wrong with answers, and which requests had none. */
  readonly faults: readonly string[];
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that were never answered with a success. */
  readonly neverDone: readonly string[];
  readonly slowestMs: number;
}

/** Requests under way at a time. */
const WIDTH = 8;
/** Requests after which there is a new organization, as the one before has been deleted bit by bit. */
const WORLD_LIFE = 120;

/** Sends requests that are nearly right, or not at all, to every operation. The same seed draws the same ones. */
export async function httpFuzzCampaign({ requests, seed, onProgress }: HttpFuzzOptions): Promise<HttpFuzzOutcome> {
  const causes: string[] = [];
  const onError = (error: unknown) =>
    causes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  // Draining would wait for the tries of files at addresses that do not exist.
  const server = await startServer({ limits: { attempts: 1 } }, { onError });
  try {
    const document = await fetchOpenApi(server.url);
    const drawn = fc.sample(drawnRequest(document), { numRuns: requests, seed });
    const judge = new Judge(document);
    let world = await knownThings(server);
    for (let start = 0; start < drawn.length; start += WIDTH) {
      if (start % WORLD_LIFE === 0 && start > 0) {
        await server.kb.drain();
        world = await knownThings(server);
      }
      await Promise.all(drawn.slice(start, start + WIDTH).map((request) => judge.send(server.url, request, world)));
      onProgress?.(Math.min(start + WIDTH, drawn.length));
    }
    const { faults, ...outcome } = judge.outcome();
    return { ...outcome, faults: [...faults, ...causes.map((cause) => `a hidden cause: ${cause}`)] };
  } finally {
    await server.close();
  }
}

type Known = Readonly<Record<string, string>>;

async function knownThings(server: TestServer): Promise<Known> {
  const world: World = await makeWorld(server);
  const { key: reader } = await server.kb
    .organization(world.organization.id)
    .apiKeys.create({ name: "reader", scope: "read" });
  const { namespaceId, slug, jobId, documentId, blobId, key, organization, pending, chunksUrl, fileUrl } = world;
  const [uploadSearch, chunksSearch, fileSearch] = [pending.url, chunksUrl, fileUrl].map((url) => new URL(url).search);
  return {
    ...{ namespaceId, slug, jobId, documentId, blobId, key, reader, apiKey: organization.key, pendingKey: pending.key },
    ...{ uploadSearch: uploadSearch!, chunksSearch: chunksSearch!, fileSearch: fileSearch! },
  };
}

class Judge {
  readonly #faults: string[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #open: Set<string>;
  readonly #document: OpenApi;
  readonly #ajv: Ajv2020;
  #slowestMs = 0;
  #sent = 0;

  constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv = openApiValidator(document);
    this.#open = new Set(
      Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => each.operationId)),
    );
  }

  async send(url: string, drawn: Drawn, known: Known): Promise<void> {
    const request = filled(drawn, { ...known, unique: String(this.#sent++) });
    const started = performance.now();
    try {
      const received = await send(url, request);
      this.#statuses[received.status] = (this.#statuses[received.status] ?? 0) + 1;
      if (received.status < 300) this.#open.delete(drawn.operation);
      const fault = this.#faultOf(drawn, received);
      if (fault) this.#tell(request, `${received.status}: ${fault}: ${received.text.slice(0, 300)}`);
    } catch (error) {
      this.#tell(request, `no answer: ${error}`);
    }
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - started);
  }

  outcome(): HttpFuzzOutcome {
    const slowestMs = Math.round(this.#slowestMs);
    return { faults: this.#faults, statuses: this.#statuses, neverDone: [...this.#open].sort(), slowestMs };
  }

  #faultOf({ method = "GET", template }: Drawn, received: Received): string | null {
    const { status, headers, text } = received;
    if (status >= 500) return "the server failed";
    if (method === "HEAD") return text === "" ? null : "HEAD has a body";
    if (status === 416) return headers["content-range"] ? null : "a range is refused without the length";
    if (status >= 400) return failureFault(received);
    if (status === 204) return text === "" ? null : "204 has a body";
    const described = this.#document.paths[template]?.[method.toLowerCase()]?.responses[status]?.content;
    if (!described?.["application/json"] || !headers["content-type"]?.startsWith("application/json")) return null;
    const validate = this.#ajv.getSchema(answerSchema(template, method, status))!;
    return validate(JSON.parse(text)) ? null : this.#ajv.errorsText(validate.errors);
  }

  #tell({ method, path, headers, body }: Sent, what: string): void {
    const sent = body === undefined ? "" : ` ${JSON.stringify(Buffer.from(body).toString().slice(0, 500))}`;
    this.#faults.push(`${method} ${path} ${JSON.stringify(headers)}${sent}\n  ${what}`);
  }
}

function filled({ method, path, headers, body }: Drawn, known: Known): Sent {
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => known[name] ?? whole);
  return {
    ...(method === undefined ? {} : { method }),
    path: fill(path),
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, fill(text as string)])),
    ...(body === undefined ? {} : { body: typeof body === "string" ? fill(body) : body }),
  };
}
