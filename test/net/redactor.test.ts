import { inspect } from "node:util";
import fc from "fast-check";
import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { hidingSecrets } from "#dist/hiding-secrets.js";
import { bareError } from "#dist/net/bare-error.js";
import { redactor } from "#dist/net/redactor.js";

const KEY = 'sk-proj-Aa0/+="€%canary0123456789';

describe("redactor", () => {
  it.each([
    ["as it is", KEY],
    ["in a URL", encodeURIComponent(KEY)],
    ["in JSON", JSON.stringify({ headers: { authorization: `Bearer ${KEY}` } })],
    ["as Basic credentials", `Basic ${Buffer.from(KEY).toString("base64")}`],
    ["as base64url", Buffer.from(KEY).toString("base64url")],
    ["cut off", `${KEY.slice(0, 20)}…`],
    ["several times", `${KEY}${KEY} and ${KEY.slice(0, -1)}`],
  ])("takes a key out that is quoted %s", (_, quoted) => {
    const clean = redactor(["other", KEY])(`The key ${quoted} is wrong.`);
    expect(clean).toMatch(/^The key .*••••.* is wrong\.$/);
    expect(clean).not.toMatch(/Aa0|canary|0123/);
    expect(clean).not.toContain(Buffer.from(KEY).toString("base64").slice(4, 12));
  });

  it("leaves no key in any text, and texts without one as they are", () => {
    const key = fc.string({ minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 3 }), fc.array(fc.string()), (keys, parts) => {
        const clean = redactor(keys)(parts.join(keys[0]));
        for (const secret of keys) expect(clean.replaceAll("••••", "\u0000").includes(secret)).toBe(false);
      }),
    );
    expect(redactor([KEY])("sk-proj is a kind of key")).toBe("sk-proj is a kind of key");
    expect(redactor([""])("text")).toBe("text");
  });
});

/** An error as vendors' packages throw them. */
function vendorsError() {
  const cause = Object.assign(new Error(`connect failed with ${KEY}`), {
    code: "ECONNRESET",
    request: { headers: { authorization: KEY } },
  });
  return Object.assign(new TypeError("fetch failed", { cause }), {
    statusCode: 401,
    url: `https://vendor.example/?key=${KEY}`,
    requestBodyValues: { input: [KEY] },
    responseHeaders: { "x-echo": KEY },
  });
}

it("keeps of a vendor's error its name, message, code, status and place, and none of its request", () => {
  const bare = bareError(vendorsError(), redactor([KEY])) as Error & { statusCode: number };
  expect([bare.name, bare.message, bare.statusCode]).toEqual(["TypeError", "fetch failed", 401]);
  expect(bare.stack).toContain("redactor.test");
  expect(bare.cause).toMatchObject({ message: "connect failed with ••••", code: "ECONNRESET" });
  expect(inspect(bare, { depth: 9, showHidden: true })).not.toContain("canary");
});

describe("a driver with secrets", () => {
  const config = { provider: "X", apiKey: KEY, nested: { token: "another-canary-token" } };
  const hidden = hidingSecrets(config, ["apiKey", "nested"]);

  it("ends with errors that don't hold them, however it ends", async () => {
    class Driver {
      readonly #key = KEY;
      readonly dimensions = 3;
      async rejects() {
        throw new KnowledgeBaseError("provider_failed", `refused ${this.#key}`, {
          cause: vendorsError(),
          retryable: true,
        });
      }
      throws() {
        throw vendorsError();
      }
      async text() {
        throw `no ${this.#key} or another-canary-token`;
      }
      async works() {
        return this.#key.length;
      }
    }
    const driver = hidden.driver(Object.freeze(new Driver()));
    expect([driver.dimensions, await driver.works(), "works" in driver, "absent" in driver]).toEqual([
      3,
      KEY.length,
      true,
      false,
    ]);
    for (const end of [() => driver.rejects(), () => driver.throws(), () => driver.text()]) {
      const error: unknown = await Promise.resolve()
        .then(end)
        .catch((thrown: unknown) => thrown);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("canary");
    }
    const ours = await driver.rejects().catch((error: unknown) => error);
    expect(KnowledgeBaseError.is(ours, "provider_failed")).toBe(true);
    expect(ours).toMatchObject({ retryable: true, message: "refused ••••" });
  });

  it("may be aborted as any other, and one without secrets is left alone", async () => {
    const reason = new DOMException("stop", "AbortError");
    await expect(hidden.call(async () => Promise.reject(reason))).rejects.toBe(reason);
    const driver = { call: () => 1 };
    expect(hidingSecrets({ apiKey: KEY }, []).driver(driver)).toBe(driver);
  });
});
