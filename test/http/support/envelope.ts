import { expect } from "vitest";
import { failureFault } from "./failure-fault.js";
import type { Received } from "./send.js";

/** Expects an error in the envelope of the interface and returns its message. */
export function expectFailure(received: Received, status: number): string {
  expect(received.status, received.text).toBe(status);
  expect(failureFault(received)).toBe(null);
  return JSON.parse(received.text).error.message;
}
