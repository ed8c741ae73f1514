import type { PageDocument } from "../http/page/page-data.js";
import type { UiMessageChunk, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import type { DocumentPlace } from "./document-place.js";
import { readEvents } from "./event-stream.js";
import { config } from "./page-config.js";
import { RequestError } from "./request-error.js";
import { strings, withCount } from "./strings.js";

export interface ChatTurn {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly text: string;
}

export async function search(query: string, signal: AbortSignal): Promise<readonly WirePassage[]> {
  const response = await request(`/search?${new URLSearchParams({ q: query })}`, { signal });
  return ((await response.json()) as { passages: WirePassage[] }).passages;
}

/** The server accepts 100 messages, and a model sees fewer. */
const MAX_TURNS = 49;

/** The parts of the answer to the last message. */
export async function* chat(turns: readonly ChatTurn[], signal: AbortSignal): AsyncGenerator<UiMessageChunk> {
  const messages = turns.slice(-MAX_TURNS).map(({ id, role, text }) => ({ id, role, parts: [{ type: "text", text }] }));
  const response = await post("/chat", { id: "page", trigger: "submit-message", messages }, signal);
  try {
    for await (const data of readEvents(response.body!)) {
      if (data === "[DONE]") return;
      yield JSON.parse(data) as UiMessageChunk;
    }
  } catch (error) {
    throw toRequestError(error, signal);
  }
  throw new RequestError(strings.interrupted);
}

/** @param part The text before or after an offset only, instead of that around the range. */
export async function readDocument(
  { documentId, range: { start, end } }: Pick<DocumentPlace, "documentId" | "range">,
  part: { readonly before?: number; readonly after?: number },
  signal: AbortSignal,
): Promise<PageDocument> {
  const numbers = Object.entries({ start, end, ...part }).map(([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(numbers);
  const response = await request(`/document/${encodeURIComponent(documentId)}?${query}`, { signal });
  return (await response.json()) as PageDocument;
}

export function fileUrl(documentId: string, page: number | undefined): string {
  return `${config.base}/document/${encodeURIComponent(documentId)}/file${page ? `#page=${page}` : ""}`;
}

/** Asks for a sign-in code. Returns the id that must be sent with it. */
export async function requestCode(email: string): Promise<string> {
  const response = await post("/sign-in", { email });
  return ((await response.json()) as { requestId: string }).requestId;
}

/** Sends a JSON body. */
export function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function request(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(config.base + path, init);
  } catch (error) {
    throw toRequestError(error, init.signal);
  }
  if (response.ok) return response;
  const { code, message } = await errorIn(response);
  if (response.status === 429) throw new RequestError(rateLimitMessage(response.headers.get("retry-after")));
  throw new RequestError(message, { canRetry: response.status >= 500, needsSignIn: code === "sign_in_required" });
}

function rateLimitMessage(retryAfter: string | null): string {
  const seconds = Number(retryAfter);
  return seconds > 0 ? withCount(strings.rateLimitedFor, seconds) : strings.rateLimited;
}

async function errorIn(response: Response): Promise<{ code: string; message: string }> {
  try {
    return ((await response.json()) as { error: { code: string; message: string } }).error;
  } catch {
    // A proxy's response.
    return { code: "", message: strings.somethingWrong };
  }
}

/** Aborted requests keep their error, which nobody shows. */
function toRequestError(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted || error instanceof RequestError) return error;
  return new RequestError(navigator.onLine ? strings.unreachable : strings.offline);
}
