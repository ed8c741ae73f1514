import { describe, expect, it } from "vitest";
import { openPage } from "./support/page-server.js";
import type { Received } from "./support/send.js";
import { userMessage } from "./support/ui-message-stream.js";

const PROTECTED = { protected: true, allowedEmails: ["Keeper@Example.com"], allowedEmailDomains: ["Light.example"] };
const codeOf = ({ text }: Received) => JSON.parse(text).error?.code;

const requestIdOf = ({ text }: Received): string => JSON.parse(text).requestId;

/** Waits until what happens after a response has happened. */
const afterResponse = async () => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
};

describe("a protected page", () => {
  it("shows those who have not signed in its title and a form, and nothing else", async () => {
    const page = await openPage({
      settings: { ...PROTECTED, title: "Keepers only", welcomeMessage: "Dear keeper", exampleQuestions: ["When?"] },
    });
    const { status, headers, text } = await page.get("?q=paraffin");
    expect(status).toBe(403);
    expect(headers["x-robots-tag"]).toBe("noindex");
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toContain("Keepers only");
    expect(text).toContain('id="sign-in"');
    expect(text).toContain('"state":"sign-in"');
    expect(text).toContain('"canSignIn":true');
    for (const hidden of ["Dear keeper", "When?", "<mark>", "burns", "guide.md"]) expect(text).not.toContain(hidden);
    const [document] = (await page.namespace.documents.list()).items;
    const messages = [userMessage("When is the lamp lit?")];
    const feedback = { question: "q", answer: "a", rating: "up" };
    const refused = [
      ...[await page.get("/search?q=lamp"), await page.get(`/document/${document!.id}`)],
      ...[await page.get(`/document/${document!.id}/file`), await page.post("/chat", { messages })],
      await page.post("/feedback", feedback),
    ];
    expect(refused.map((received) => [received.status, codeOf(received)])).toEqual(
      refused.map(() => [403, "sign_in_required"]),
    );
  });

  it("lets those in who have got a code, until they sign out", async () => {
    const page = await openPage({ settings: { ...PROTECTED, title: "Keepers\r\nBcc: all" } });
    const cookie = await page.signIn(" KEEPER@example.com ");
    const [email] = page.emails;
    expect(email!.to).toBe("keeper@example.com");
    expect(email!.subject).toMatch(/^\d{6} is your code for Keepers Bcc: all$/);
    const { status, text } = await page.get("?q=paraffin", { cookie });
    expect(status).toBe(200);
    expect(text).toContain('"signedInAs":"keeper@example.com"');
    expect(text).toContain("<mark>paraffin</mark>");
    expect((await page.get("/search?q=lamp", { cookie })).status).toBe(200);
    const { headers } = await page.post("/sign-out", {}, { cookie });
    expect(headers["set-cookie"]![0]).toContain("lorebase_session=; Path=");
    expect(headers["set-cookie"]![0]).toContain("Max-Age=0");
  });

  it("sets a cookie for this page only, that scripts and other sites can't use", async () => {
    const page = await openPage({ settings: PROTECTED, page: { trustProxy: true } });
    const headersOf = async (headers: Record<string, string>) => {
      const email = "keeper@example.com";
      const requestId = requestIdOf(await page.post("/sign-in", { email }));
      await afterResponse();
      const code = /\d{6}/.exec(page.emails.at(-1)!.text)![0];
      return (await page.post("/sign-in/verify", { email, code, requestId }, headers)).headers;
    };
    const [plain] = (await headersOf({}))["set-cookie"]!;
    expect(plain).toMatch(
      new RegExp(`^lorebase_session=[\\w.-]+; Path=${page.path}; Max-Age=(\\d+); HttpOnly; SameSite=Lax$`),
    );
    const days = Number(/Max-Age=(\d+)/.exec(plain!)![1]) / 86_400;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    const [secure] = (await headersOf({ "x-forwarded-proto": "https" }))["set-cookie"]!;
    expect(secure).toMatch(/; Secure$/);
  });

  it.each([
    ["somebody@light.example", true],
    ["SOMEBODY@LIGHT.EXAMPLE", true],
    ["keeper@example.com", true],
    ["somebody@example.com", false],
    ["keeper@example.com.light.evil", false],
    ["a@sub.light.example", false],
    ["a@notlight.example", false],
    ["keeper@example.com@light.example", null],
    ["a@light.example\r\nBcc: b@c.de", null],
    ['"a@light.example"@evil.example', null],
    // The Kelvin sign, whose lower case is k.
    ["\u212Aeeper@example.com", null],
    ["not an address", null],
    [["keeper@example.com"], null],
  ])("answers an allowed address as any other: %s", async (email, isAllowed) => {
    const page = await openPage({ settings: PROTECTED });
    const { status, text } = await page.post("/sign-in", { email });
    const answer = isAllowed === null ? /e-mail/ : /^{"requestId":"[\w.-]{33}"}$/;
    expect([status, text]).toEqual([isAllowed === null ? 400 : 200, expect.stringMatching(answer)]);
    await afterResponse();
    expect(page.emails.map(({ to }) => to)).toEqual(isAllowed ? [String(email).toLowerCase()] : []);
  });

  it("responds before the e-mail is sent, and reports that it wasn't", async () => {
    let fail: (error: Error) => void = () => {};
    const sendEmail = () => new Promise((_, reject) => (fail = reject));
    const page = await openPage({ settings: PROTECTED, page: { sendEmail } });
    expect((await page.post("/sign-in", { email: "keeper@example.com" })).status).toBe(200);
    await afterResponse();
    fail(new Error("no mail server"));
    await afterResponse();
    expect(page.errors.map(String)).toEqual(["Error: no mail server"]);
  });

  it("accepts a code once, for its address and page, and not after five tries", async () => {
    const page = await openPage({ settings: PROTECTED });
    const other = await page.another(PROTECTED);
    const email = "keeper@example.com";
    const send = async () => {
      const requestId = requestIdOf(await page.post("/sign-in", { email }));
      await afterResponse();
      return { email, requestId, code: /\d{6}/.exec(page.emails.at(-1)!.text)![0] };
    };
    const verify = (body: object, on = page) => on.post("/sign-in/verify", body);
    const first = await send();
    const wrong = first.code === "000000" ? "000001" : "000000";
    expect(codeOf(await verify(first, other))).toBe("invalid_code");
    expect(codeOf(await verify({ ...first, email: "a@light.example" }))).toBe("invalid_code");
    for (const code of ["", 123456, null, { length: 6 }, wrong])
      expect(codeOf(await verify({ ...first, code }))).toBe("invalid_code");
    expect(codeOf(await verify(first))).toBe("invalid_code");
    const second = await send();
    expect((await verify(second)).status).toBe(200);
    expect(codeOf(await verify(second))).toBe("invalid_code");
  });

  it("accepts a code only of the browser that asked for it, whatever others try meanwhile", async () => {
    const page = await openPage({ settings: PROTECTED });
    const email = "keeper@example.com";
    const requestId = requestIdOf(await page.post("/sign-in", { email }));
    await afterResponse();
    const code = /\d{6}/.exec(page.emails[0]!.text)![0];
    const others = requestIdOf(await page.post("/sign-in", { email }));
    for (const given of [undefined, null, "", [requestId], others, `${requestId}0`, "a".repeat(100)])
      expect(codeOf(await page.post("/sign-in/verify", { email, code, requestId: given }))).toBe("invalid_code");
    expect((await page.post("/sign-in/verify", { email, code, requestId })).status).toBe(200);
  });

  it("sends a link only to the configured URL, which uses no code up when it is opened", async () => {
    const email = "keeper@example.com";
    const without = await openPage({ settings: PROTECTED });
    await without.post("/sign-in", { email }, { host: "evil.example" });
    await afterResponse();
    expect(without.emails[0]!.text).not.toMatch(/https?:/);
    const page = await openPage({ settings: PROTECTED, kb: { publicUrl: "https://kb.example.com/base" } });
    const requestId = requestIdOf(await page.post("/sign-in", { email }, { host: "evil.example" }));
    await afterResponse();
    const [link, code] = /https:\S+#code=(\d{6})/.exec(page.emails[0]!.text)!;
    expect(link).toBe(`https://kb.example.com/base${page.path}#code=${code}`);
    expect((await page.get(`?code=${code}`)).status).toBe(403);
    expect((await page.post("/sign-in/verify", { email, code, requestId })).status).toBe(200);
  });

  it("signs out an address once it is removed from the lists", async () => {
    const page = await openPage({ settings: PROTECTED });
    const cookie = await page.signIn("keeper@example.com");
    expect((await page.get("", { cookie })).status).toBe(200);
    await page.namespace.hosting.update({ allowedEmails: [] });
    expect((await page.get("", { cookie })).status).toBe(403);
    expect(codeOf(await page.get("/search?q=lamp", { cookie }))).toBe("sign_in_required");
  });

  it("limits the codes of an address, allowed or not, and the requests of a client", async () => {
    const page = await openPage({ settings: PROTECTED });
    for (const email of ["keeper@example.com", "stranger@example.com"]) {
      for (let code = 1; code <= 5; code++) expect((await page.post("/sign-in", { email })).status).toBe(200);
      const refused = await page.post("/sign-in", { email });
      expect([refused.status, codeOf(refused)]).toEqual([429, "rate_limited"]);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    }
    let accepted = 0;
    while ((await page.post("/sign-in", { email: `a${accepted}@light.example` })).status === 200) accepted++;
    expect(accepted).toBe(20 - 12);
    const tries: number[] = [];
    for (let attempt = 0; attempt < 51; attempt++)
      tries.push((await page.post("/sign-in/verify", { email: `a${attempt}@light.example`, code: "1" })).status);
    expect(new Set(tries.slice(0, 50))).toEqual(new Set([403]));
    expect(tries[50]).toBe(429);
  });

  it("says that nobody can sign in if it can't send e-mails", async () => {
    const page = await openPage({ settings: PROTECTED, page: { sendEmail: undefined } });
    const { status, text } = await page.get();
    expect([status, text.includes('"canSignIn":false')]).toEqual([403, true]);
    expect(codeOf(await page.post("/sign-in", { email: "keeper@example.com" }))).toBe("sign_in_unavailable");
  });
});

describe("sessions", () => {
  it("of another page, another knowledge base or a changed cookie are not valid", async () => {
    const page = await openPage({ settings: PROTECTED });
    const other = await page.another(PROTECTED);
    const cookie = await page.signIn("keeper@example.com");
    const token = cookie.split("=")[1]!;
    const [email, expires, signature] = token.split(".");
    const changed = [
      ...[`${Buffer.from("a@light.example").toString("base64url")}.${expires}.${signature}`],
      ...[`${email}.${Number(expires) + 1}.${signature}`, `${email}.${expires}.${signature!.slice(1)}x`],
      ...[`${email}.${expires}`, `${email}.${expires}.`, "", "..", "a".repeat(10_000), `${token}.x`],
    ];
    for (const each of changed) expect((await page.get("", { cookie: `lorebase_session=${each}` })).status).toBe(403);
    expect((await other.get("", { cookie })).status).toBe(403);
    const elsewhere = await openPage({ settings: { ...PROTECTED, slug: page.slug }, kb: {} });
    expect((await elsewhere.get("", { cookie })).status).toBe(403);
    expect((await page.get("", { cookie: `theme=dark; lorebase_session=x; ${cookie}` })).status).toBe(200);
  });

  it("end after 30 days", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const page = await openPage({ settings: PROTECTED, kb: { clock: () => now } });
    const scope = { slug: page.slug, namespaceId: (await page.namespace.hosting.get()).namespaceId };
    const { token } = await page.kb.createPageSession(scope, "keeper@example.com");
    const get = () => page.get("", { cookie: `lorebase_session=${token}` });
    now = new Date("2026-01-30T23:59:59Z");
    expect((await get()).status).toBe(200);
    now = new Date("2026-01-31T00:00:01Z");
    expect((await get()).status).toBe(403);
  });
});

it("tells the browser an id of the visitor that neither other visitors nor other namespaces have", async () => {
  const page = await openPage({ settings: { ...PROTECTED, allowedEmailDomains: ["example.com"] } });
  const other = await page.another({ ...PROTECTED, allowedEmailDomains: ["example.com"] });
  const visitorId = ({ text }: { readonly text: string }) => /"visitorId":(null|"[\w-]+")/.exec(text)![1];
  const idOn = async (on: typeof page, email: string) =>
    visitorId(await on.get("", { cookie: await on.signIn(email) }));
  const ada = await idOn(page, "ada@example.com");
  expect(await idOn(page, "Ada@Example.com")).toBe(ada);
  expect(new Set([ada, await idOn(page, "bob@example.com"), await idOn(other, "ada@example.com")]).size).toBe(3);
  expect(visitorId(await page.get())).toBe("null");
  await page.namespace.hosting.update({ protected: false });
  expect(["null", ada]).not.toContain(visitorId(await page.get()));
});

describe("authorize", () => {
  it("decides instead of e-mails", async () => {
    const asked: unknown[] = [];
    const page = await openPage({
      settings: PROTECTED,
      page: {
        authorize: async (request, about) => {
          asked.push([new URL(request.url).pathname, about.slug, request.body]);
          return request.headers.get("authorization") === "Basic friend";
        },
      },
    });
    const refused = await page.get();
    expect([refused.status, refused.text.includes('"canSignIn":false')]).toEqual([403, true]);
    expect((await page.get("", { authorization: "Basic friend" })).status).toBe(200);
    const messages = [userMessage("When is the lamp lit?")];
    expect((await page.post("/chat", { messages }, { authorization: "Basic friend" })).status).toBe(200);
    expect(asked.at(-1)).toEqual([`${page.path}/chat`, page.slug, null]);
    expect(codeOf(await page.post("/sign-in", { email: "keeper@example.com" }))).toBe("sign_in_unavailable");
  });

  it("refuses unless it returns true, and answers 500 if it fails", async () => {
    const page = await openPage({ settings: PROTECTED, page: { authorize: () => "yes" as unknown as boolean } });
    expect((await page.get()).status).toBe(403);
    const failing = await openPage({
      settings: PROTECTED,
      page: {
        authorize: () => {
          throw new Error("session store is down");
        },
      },
    });
    const { status, text } = await failing.get("/search?q=a");
    expect([status, text.includes("session store")]).toEqual([500, false]);
    expect(failing.errors.map(String)).toEqual(["Error: session store is down"]);
  });
});

describe("requests from other sites", () => {
  const body = { question: "q", answer: "a", rating: "up" };

  it.each([
    ["cross-site", { "sec-fetch-site": "cross-site" }],
    ["same-site", { "sec-fetch-site": "same-site" }],
    ["another origin", { origin: "https://evil.example" }],
    ["a sandbox", { origin: "null" }],
    ["a wrong origin that claims to be the same", { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1" }],
  ])("are refused: %s", async (_, headers) => {
    const page = await openPage();
    for (const path of ["/feedback", "/chat", "/sign-out"]) {
      const refused = await page.post(path, body, headers);
      expect([refused.status, codeOf(refused)]).toEqual([403, "cross_site_request"]);
    }
    const closed = await page.another(PROTECTED);
    for (const path of ["/sign-in", "/sign-in/verify"])
      expect(codeOf(await closed.post(path, { email: "keeper@example.com" }, headers))).toBe("cross_site_request");
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""])(
    "can't be sent by a form: %s",
    async (type) => {
      const page = await openPage();
      expect(codeOf(await page.post("/feedback", body, { "content-type": type }))).toBe("invalid_request");
    },
  );

  it("are told apart from those of the page itself", async () => {
    const page = await openPage();
    for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin: page.url }, {}])
      expect((await page.post("/feedback", body, headers)).text).toBe("{}");
    const { items } = await page.namespace.feedback.list();
    expect(items).toHaveLength(3);
  });
});
