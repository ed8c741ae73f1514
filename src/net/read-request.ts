import { KnowledgeBaseError } from "../errors.js";
import { refusal } from "./check-public-url.js";
import type { PrivateHosts } from "./private-hosts.js";
import type { Hop } from "./redirect.js";

/** Tells a private host that may be called from another. */
export type MayReach = (url: URL) => boolean;

/** The private hosts that a call may come to. */
export interface Reach {
  readonly allowed: PrivateHosts;
  /** Of the allowed ones. @default all */
  readonly privateHosts?: MayReach | undefined;
}

/** What a call of `fetch` asks for. */
export interface GivenRequest {
  readonly hop: Hop;
  readonly signal: AbortSignal | null;
  readonly redirect: Request["redirect"];
}

/** The headers that belong to a connection: they are set where it is made. */
const OF_THE_CONNECTION = [
  ...["connection", "content-length", "expect", "host", "keep-alive"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
];

/**
 * Reads what `fetch` is called with. Of `init` only what belongs to a request is taken: nothing in it chooses how the host is reached.
 * @throws KnowledgeBaseError `invalid_input` for an address that is refused as it stands
 */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit,
  reach: Reach,
): Promise<GivenRequest> {
  const address = input instanceof Request ? input.url : input;
  requireAllowed(address, reach);
  const url = new URL(address);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const request = new Request(input instanceof Request ? input : url, init);
  const headers = new Headers(request.headers);
  for (const name of OF_THE_CONNECTION) headers.delete(name);
  if ((username || password) && !headers.has("authorization")) {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers.set("authorization", `Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const signal = init.signal ?? (input instanceof Request ? input.signal : null);
  return { hop: { url, method: request.method, headers, body }, signal, redirect: request.redirect };
}

/** @throws KnowledgeBaseError `invalid_input` for an address whose scheme or host is refused */
export function requireAllowed(address: string | URL, { allowed, privateHosts }: Reach): void {
  const problem = refusal(address, allowed) ?? strayed(new URL(address), { allowed, privateHosts });
  if (problem !== null) throw new KnowledgeBaseError("invalid_input", `The address is refused: ${problem}.`);
}

function strayed(url: URL, { allowed, privateHosts }: Reach): string | null {
  if (privateHosts === undefined || !allowed.allows(url) || privateHosts(url)) return null;
  return `${url.host} is not a public host, and not one that this call may come to`;
}
