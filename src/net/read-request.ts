import { KnowledgeBaseError } from "../errors.js";
import { refusal } from "./check-public-url.js";
import type { PrivateHosts } from "./private-hosts.js";
import type { Hop } from "./redirect.js";
import { takeCredentials } from "./take-credentials.js";

/** Whether a call may reach an allowed private host. */
export type MayReach = (url: URL) => boolean;

/** The private hosts that a call may reach. */
export interface Reach {
  readonly allowed: PrivateHosts;
  /** Restricts the allowed hosts. @default all of them */
  readonly privateHosts?: MayReach | undefined;
}

/** A parsed `fetch` request. */
export interface ParsedRequest {
  readonly hop: Hop;
  readonly signal: AbortSignal | null;
  readonly redirect: Request["redirect"];
}

/** Headers that the transport sets for each connection. */
const CONNECTION_HEADERS = [
  ...["connection", "content-length", "expect", "host", "keep-alive"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
];

/**
 * Parses the arguments of `fetch`. Ignores fields of `init` that affect the connection, such as `dispatcher`.
 * @throws KnowledgeBaseError `invalid_input` for a URL that is refused before the request
 */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit,
  reach: Reach,
): Promise<ParsedRequest> {
  const address = input instanceof Request ? input.url : input;
  requireAllowed(address, reach);
  const url = new URL(address);
  const credentials = takeCredentials(url);
  const request = new Request(input instanceof Request ? input : url, init);
  const headers = new Headers(request.headers);
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  if (credentials !== null && !headers.has("authorization")) headers.set("authorization", credentials);
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const signal = init.signal ?? (input instanceof Request ? input.signal : null);
  return { hop: { url, method: request.method, headers, body }, signal, redirect: request.redirect };
}

/** @throws KnowledgeBaseError `invalid_input` for a URL whose scheme or host is refused */
export function requireAllowed(address: string | URL, { allowed, privateHosts }: Reach): void {
  const problem = refusal(address, allowed) ?? outOfReach(new URL(address), { allowed, privateHosts });
  if (problem !== null) throw new KnowledgeBaseError("invalid_input", `The address is refused: ${problem}.`);
}

function outOfReach(url: URL, { allowed, privateHosts }: Reach): string | null {
  if (privateHosts === undefined || !allowed.allows(url) || privateHosts(url)) return null;
  return `${url.host} is a private host that this call may not reach`;
}
