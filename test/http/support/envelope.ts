import { expect } from "vitest";
import { errorAnswer } from "#dist/http/wire.js";
import type { Received } from "./send.js";

/** The interface's table: the code and the anchor of each status. */
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

/** Says what is wrong with a failure's answer; null where nothing is. */
export function failureFault({ status, headers, text }: Received): string | null {
  const [code, anchor] = CODES[status] ?? [];
  if (code === undefined) return `${status} is no status of a failure`;
  if (headers["content-type"] !== "application/json") return `the content type is ${headers["content-type"]}`;
  const parsed = errorAnswer.safeParse(JSON.parse(text));
  if (!parsed.success) return parsed.error.message;
  const { error } = parsed.data;
  if (error.code !== code) return `the code of ${status} is ${error.code}`;
  if (!error.doc_url.endsWith(`/api-reference/errors#${anchor}`)) return `the address is ${error.doc_url}`;
  return error.message === "" ? "the message is empty" : null;
}

/** Expects a failure in the interface's envelope, and returns its message. */
export function expectFailure(received: Received, status: number): string {
  expect(received.status, received.text).toBe(status);
  expect(failureFault(received)).toBe(null);
  return JSON.parse(received.text).error.message;
}
