import { inspect } from "node:util";
import fc from "fast-check";
import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { redactor } from "#dist/net/redactor.js";
import { stripError } from "#dist/net/strip-error.js";
import { createDriverErrorRedactor } from "#dist/secrets/driver-error-redactor.js";

const KEY = 'sk-proj-Aa0/+="€%canary0123456789';

const SECRET = fc.string({ unit: "binary", minLength: 8, maxLength: 60 });

const percent = (byte: number) => `%${byte.toString(16).padStart(2, "0")}`;
const unit = (text: string, at: number) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
const bytesOf = (text: string) => [...Buffer.from(text)];

/** Ways to write a text of which each character stands by itself. */
const ENCODINGS: readonly [string, (text: string) => string][] = [
  ["as it is", (text) => text],
  ["in a URL", encodeURIComponent],
  ["in a URL with small digits", (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())],
  ["in a URL, every byte escaped", (text) => bytesOf(text).map(percent).join("")],
  ["in a URL within a URL", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["in a form", (text) => new URLSearchParams({ "": text }).toString().slice(1)],
  ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
  ["in JSON within JSON", (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  [
    "in JSON, every character escaped",
    (text) => Array.from({ length: text.length }, (_, at) => unit(text, at)).join(""),
  ],
  ["in JavaScript by code points", (text) => [...text].map((it) => `\\u{${it.codePointAt(0)!.toString(16)}}`).join("")],
  [
    "in HTML",
    (text) =>
      text.replace(/[&<>"']/g, (it) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[it] ?? "&#39;"),
  ],
  ["in HTML by numbers", (text) => [...text].map((it) => `&#x${it.codePointAt(0)!.toString(16)};`).join("")],
];

const inGroups = (digits: string, size: number, separator: string) =>
  (digits.match(new RegExp(`.{1,${size}}`, "g")) ?? []).join(separator);

/** Ways to encode bytes in which no part can be read by itself. */
const CONTAINERS: readonly [string, (text: string) => string][] = [
  ["in base64", (text) => Buffer.from(text).toString("base64")],
  ["in base64 without padding", (text) => Buffer.from(text).toString("base64").replace(/=+$/, "")],
  ["in base64url", (text) => Buffer.from(text).toString("base64url")],
  ["in base64 in a URL", (text) => encodeURIComponent(Buffer.from(text).toString("base64"))],
  [
    "in base64 in lines",
    (text) =>
      Buffer.from(text)
        .toString("base64")
        .replace(/.{76}(?=.)/g, "$&\r\n"),
  ],
  ["in base64 in indented lines", (text) => inGroups(Buffer.from(text).toString("base64"), 20, "\n    ")],
  ["in base64 in groups of four", (text) => inGroups(Buffer.from(text).toString("base64"), 4, " ")],
  ["in base64url in groups of ten", (text) => inGroups(Buffer.from(text).toString("base64url"), 10, " ")],
  [
    "in base64 in groups and lines",
    (text) => inGroups(Buffer.from(text).toString("base64"), 8, " ").replace(/.{35} /g, "$&\r\n\t"),
  ],
  ["in hexadecimal in lines", (text) => inGroups(Buffer.from(text).toString("hex"), 7, "\n")],
  ["in hexadecimal in indented lines", (text) => inGroups(Buffer.from(text).toString("hex"), 16, "\r\n\t  ")],
  ["in a dump in lines", (text) => inGroups(Buffer.from(text).toString("hex"), 2, ":").replace(/.{24}/g, "$&\n    ")],
  ["in base64 behind a path", (text) => `/v1/${Buffer.from(text).toString("base64url")}`],
  [
    "in base64 of credentials",
    (text) => Buffer.from(`Basic ${Buffer.from(`user:${text}`).toString("base64")}`).toString("base64"),
  ],
  ["in hexadecimal", (text) => Buffer.from(text).toString("hex")],
  ["in hexadecimal with capitals", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  [
    "in a dump",
    (text) =>
      Buffer.from(text)
        .toString("hex")
        .replace(/..(?=.)/g, "$& "),
  ],
];

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

  describe.each(ENCODINGS)("finds any secret %s", (_, encode) => {
    it("and replaces it whole", () => {
      fc.assert(
        fc.property(SECRET, (secret) => {
          expect(redactor(["other", secret])(`It says (${encode(secret)}).`)).toBe("It says (••••).");
        }),
      );
    });
  });

  describe.each(CONTAINERS)("finds any secret within what is encoded %s", (_, encode) => {
    it("and replaces the encoded run whole", () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), SECRET, fc.string({ unit: "binary" }), (before, secret, after) => {
          const text = `It says (${encode(`${before}${secret}${after}`)}).`;
          expect(redactor([secret])(text)).toBe("It says (••••).");
        }),
      );
    });
  });

  it("leaves no twelve characters of a secret that was cut anywhere", () => {
    const secret = fc.string({ minLength: 12, maxLength: 60 });
    fc.assert(
      fc.property(secret, fc.nat(60), fc.nat(60), fc.boolean(), (key, start, length, inBase64) => {
        const cut = (text: string) => text.slice(start % text.length).slice(0, length);
        const base64 = Buffer.from(`Bearer ${key}`).toString("base64");
        const clean = redactor([key])(`(${cut(inBase64 ? base64 : key)}…)`);
        const shown = inBase64 ? Buffer.from(clean.slice(1, -2), "base64").toString("latin1") : clean;
        for (let at = 0; at + 12 <= key.length; at++) expect(shown).not.toContain(key.slice(at, at + 12));
      }),
    );
  });

  it("leaves texts without a secret as they are", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", minLength: 12 }), { maxLength: 3 }),
        fc.lorem(),
        (keys, text) => {
          expect(redactor(keys)(text)).toBe(text);
        },
      ),
    );
    expect(redactor([KEY])("sk-proj is a kind of key")).toBe("sk-proj is a kind of key");
    expect(redactor([""])("text")).toBe("text");
  });

  it("leaves ordinary words as they are, on lines of any indentation", () => {
    const word = fc.constantFrom("the", "code", "face", "added", "fade", "be", "token", "was", "refused", "dead");
    const gap = fc.constantFrom(" ", " ", "\n", "\r\n    ", "  \n\t");
    const texts = fc.array(fc.tuple(word, gap), { maxLength: 60 }).map((pairs) => pairs.flat().join(""));
    fc.assert(
      fc.property(SECRET, texts, (secret, text) => {
        expect(redactor([secret])(text)).toBe(text);
      }),
    );
  });

  it("leaves the words around encoded groups", () => {
    const groups = inGroups(Buffer.from(KEY).toString("base64"), 8, " ");
    expect(redactor([KEY])(`We redacted nothing: ${groups} is wrong.`)).toMatch(
      /^We redacted nothing: •••• (?:is )?wrong\.$/,
    );
    expect(redactor([KEY])(`It was replaced ${inGroups(groups.replaceAll(" ", ""), 4, " ")}`)).toBe(
      "It was replaced ••••",
    );
  });

  const DATABASE = "postgres://user:pw@db.example.com:5432/app";
  const SIGNED = "https://files.example.com/reports/list?token=abcd-efgh-1234&page=1#fragment-of-9";
  const WEBHOOK = "https://hooks.example.com/services/T00/a1b2c3d4e5f6a7b8c9";
  it.each([
    [DATABASE, "could not reach db.example.com:5432: refused", "could not reach db.example.com:5432: refused"],
    [DATABASE, "the database db.example.com:5432/app", "the database db.example.com:5432/app"],
    [DATABASE, `could not reach ${DATABASE}: refused`, "could not reach ••••: refused"],
    [DATABASE, `could not reach ${encodeURIComponent(DATABASE)}: refused`, "could not reach ••••: refused"],
    [DATABASE, `sent (${Buffer.from(DATABASE).toString("base64")})`, "sent (••••)"],
    [DATABASE, `could not reach ${DATABASE.slice(0, 25)}…`, "could not reach postgres://••••@db.exa…"],
    [DATABASE, 'password "pw" of user is wrong', 'password "••••" of user is wrong'],
    ["redis://:p%40ssword-9@cache.example.com", "p@ssword-9 and p%40ssword-9 fail", "•••• and •••• fail"],
    [
      "https://token-1234567890@api.example.com/v1",
      "token-1234567890 at api.example.com/v1",
      "•••• at api.example.com/v1",
    ],
    [SIGNED, "GET /reports/list of files.example.com", "GET /reports/list of files.example.com"],
    [SIGNED, "GET /reports/list?token=abcd-efgh-1234&page=1", "GET /reports/list?••••"],
    [SIGNED, "abcd-efgh-1234 and fragment-of-9 are refused", "•••• and •••• are refused"],
    [WEBHOOK, "POST hooks.example.com/services/T00/a1b2c3d4e5f6a7b8c9", "POST hooks.example.com/services/T00/••••"],
  ])("of the URL %j takes only what is confidential: %s", (secret, text, clean) => {
    expect(redactor([secret])(text)).toBe(clean);
  });

  it("takes the bytes of a key in PEM, and not its BEGIN and END lines", () => {
    const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcw\n-----END PRIVATE KEY-----\n";
    const clean = redactor([pem]);
    const advice = "A key begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.";
    expect(clean(advice)).toBe(advice);
    expect(clean(`got ${pem}`)).toBe("got -----BEGIN PRIVATE KEY-----••••-----END PRIVATE KEY-----\n");
    expect(clean(`got ${JSON.stringify(pem)}`)).not.toMatch(/MIIE|9w0B|AQEF|BKcw/);
  });

  it.each([
    ["k", "The network keeps no key.", "The network keeps no key."],
    ["k", "Bearer k is wrong.", "Bearer •••• is wrong."],
    ["k", '{"key":"k"} key=k key: k', '{"key":"••••"} key=•••• key: ••••'],
    ["k", `Basic ${Buffer.from("Bearer k").toString("base64")} is wrong.`, "Basic •••• is wrong."],
    ["a", "This is a key, a bearer of a secret.", "This is a key, a bearer of a secret."],
    ["work", "The network works; work does not.", "The network works; •••• does not."],
    ["pass-1", "bypass-1, pass-12 and pass-1", "bypass-1, pass-12 and ••••"],
  ])("takes %j, which is short, only for a secret where it stands alone", (secret, text, clean) => {
    expect(redactor([secret])(text)).toBe(clean);
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
  const bare = stripError(vendorsError(), redactor([KEY])) as Error & { statusCode: number };
  expect([bare.name, bare.message, bare.statusCode]).toEqual(["TypeError", "fetch failed", 401]);
  expect(bare.stack).toContain("redactor.test");
  expect(bare.cause).toMatchObject({ message: "connect failed with ••••", code: "ECONNRESET" });
  expect(inspect(bare, { depth: 9, showHidden: true })).not.toContain("canary");
});

describe("a driver with secrets", () => {
  const config = { provider: "X", apiKey: KEY, nested: { token: "another-canary-token" } };
  const hidden = createDriverErrorRedactor(config, ["apiKey", "nested"]);

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
    const driver = hidden.wrap(Object.freeze(new Driver()));
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
    await expect(hidden.run(async () => Promise.reject(reason))).rejects.toBe(reason);
    const driver = { call: () => 1 };
    expect(createDriverErrorRedactor({ apiKey: KEY }, []).wrap(driver)).toBe(driver);
  });
});
