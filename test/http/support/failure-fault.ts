import type { Received } from "./send.js";

/** The code and the anchor of each status. */
export const CODES: Readonly<Record<number, readonly [string, string]>> = {
  400: ["bad_request", "bad-request"],
  401: ["unauthorized", "unauthorized"],
  403: ["forbidden", "forbidden"],
  404: ["not_found", "not-found"],
  409: ["conflict", "conflict"],
  410: ["invite_expired", "invite-expired"],
  422: ["unprocessable_entity", "unprocessable-entity"],
  429: ["rate_limit_exceeded", "rate-limit_exceeded"],
  500: ["internal_server_error", "internal-server_error"],
};

/** Describes how an error response differs from the envelope; `null` if it doesn't. */
export function failureFault({ status, headers, text }: Received): string | null {
  const [code, anchor] = CODES[status] ?? [];
  if (code === undefined) return `${status} is no status of a failure`;
  if (headers["content-type"] !== "application/json") return `the content type is ${headers["content-type"]}`;
  const { error, ...rest } = JSON.parse(text);
  if (JSON.stringify(rest) !== '{"success":false}') return `beside the error there is ${JSON.stringify(rest)}`;
  if (Object.keys(error).join() !== "code,message,doc_url") return `the error has ${Object.keys(error)}`;
  if (error.code !== code) return `the code of ${status} is ${error.code}`;
  if (typeof error.message !== "string" || error.message === "") return "the message is empty";
  const { pathname, hash } = new URL(error.doc_url);
  return `${pathname}${hash}` === `/api-reference/errors#${anchor}` ? null : `the address is ${error.doc_url}`;
}
