import { KnowledgeBaseError } from "../errors.js";
import { findUrlProblem } from "./check-public-url.js";
import type { PrivateHosts } from "./private-hosts.js";
import type { Hop } from "./redirect.js";
import { takeCredentials } from "./take-credentials.js";

/** Decides whether a call may reach an allowed private host. */
export type PrivateHostPredicate = (url: URL) => boolean;

/** The private hosts that a call may reach. */
export interface PrivateHostAccess {
  readonly allowed: PrivateHosts;
  /** Restricts the allowed hosts. @default all allowed hosts */
  readonly mayReachPrivateHost?: PrivateHostPredicate | undefined;
}

/** A parsed `fetch` request. */
export interface ParsedRequest {
  readonly hop: Hop;
  readonly signal: AbortSignal | null;
  readonly redirect: Request["redirect"];
}

/** Headers that only the transport may set. */
const CONNECTION_HEADERS = [
  ...["connection", "content-length", "expect", "host", "keep-alive"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
];

/**
 * Parses the arguments of `fetch`. Ignores fields of `init` that affect the connection, such as `dispatcher`.
 * @throws KnowledgeBaseError `invalid_input` for a URL that is not allowed
 */
export async function parseFetchArguments(
  input: string | URL | Request,
  init: RequestInit,
  access: PrivateHostAccess,
): Promise<ParsedRequest> {
  const target = input instanceof Request ? input.url : input;
  requireAllowed(target, access);
  const url = new URL(target);
  const credentials = takeCredentials(url);
  const request = new Request(input instanceof Request ? input : url, init);
  const headers = new Headers(request.headers);
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  if (credentials !== null && !headers.has("authorization")) headers.set("authorization", credentials);
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const signal = init.signal ?? (input instanceof Request ? input.signal : null);
  return { hop: { url, method: request.method, headers, body }, signal, redirect: request.redirect };
}

/** @throws KnowledgeBaseError `invalid_input` for a URL whose scheme or host is not allowed */
export function requireAllowed(url: string | URL, { allowed, mayReachPrivateHost }: PrivateHostAccess): void {
  const problem = findUrlProblem(url, allowed) ?? findHostProblem(new URL(url), { allowed, mayReachPrivateHost });
  if (problem !== null) throw new KnowledgeBaseError("invalid_input", `The URL is not allowed: ${problem}.`);
}

function findHostProblem(url: URL, { allowed, mayReachPrivateHost }: PrivateHostAccess): string | null {
  if (mayReachPrivateHost === undefined || !allowed.allows(url) || mayReachPrivateHost(url)) return null;
  return `${url.host} is a private host that this call may not reach`;
}
