import { inspect } from "node:util";
import { KnowledgeBaseError } from "lorebase";
import { expect, it } from "vitest";
import { vendorError } from "#dist/net/vendor-error.js";
import { guarded } from "../support/guarded.js";
import { failureOf } from "../support/knowledge-base.js";

const FAILURE = { code: "provider_failed", vendor: "Vendor", status: null, message: "no answer" } as const;

it("keeps neither request nor key of what a vendor's package threw", () => {
  const cause = Object.assign(new Error("refused sk-canary-0123"), {
    statusCode: 401,
    requestBodyValues: { input: "canary document" },
    config: { headers: { authorization: "Bearer sk-canary-0123" } },
  });
  const message = "Incorrect API key provided: sk-canary-0123";
  const error = vendorError({ ...FAILURE, status: 401, message, cause, apiKey: "sk-canary-0123" });
  expect(error.message).toBe("Vendor answered 401: Incorrect API key provided: ••••");
  expect(error.cause).toMatchObject({ message: "refused ••••", statusCode: 401 });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("canary");
});

it("is worth another try where no answer came, but not where the address is refused", async () => {
  const refused = await failureOf(() => guarded()("http://169.254.169.254/"));
  const unreachable = new KnowledgeBaseError("provider_failed", "does not respond", { retryable: true });
  const within = (cause: unknown) => vendorError({ ...FAILURE, cause: new TypeError("fetch failed", { cause }) });
  expect(within(refused).retryable).toBe(false);
  expect(within(unreachable).retryable).toBe(true);
  expect(within(new Error("ECONNRESET")).retryable).toBe(true);
  expect(vendorError(FAILURE).retryable).toBe(true);
});
