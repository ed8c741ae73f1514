import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it } from "vitest";
import { privateHosts } from "../support/address-spellings.js";
import { guarded } from "../support/guarded.js";
import { failureOf } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";

const PUBLIC = { address: "93.184.215.14", family: 4 };
const INSIDE = { address: "127.0.0.1", family: 4 };

describe("the canary", () => {
  it("is not reached by any spelling of any host that is not public", async () => {
    const canary = await listener();
    const fetch = guarded();
    for (const host of privateHosts()) {
      for (const url of [`http://${host}:${canary.port}/`, `https://${host}/`]) {
        const error = await failureOf(() => fetch(url));
        expect(error.code, url).toBe("invalid_input");
        expect(error.retryable, url).toBe(false);
      }
    }
    expect(canary.hits).toBe(0);
    // The canary is alive, and a plain fetch does reach it by such a name.
    expect(await (await globalThis.fetch(`http://0x7f000001:${canary.port}/`)).text()).toBe("inside");
    expect(canary.hits).toBe(1);
  });

  it("is not reached by names that stand for it, alone or among others", async () => {
    const canary = await listener();
    const answers = [
      [INSIDE],
      [PUBLIC, INSIDE],
      [INSIDE, PUBLIC],
      [{ address: "::1", family: 6 }],
      [{ address: "::ffff:127.0.0.1", family: 6 }],
      [{ address: "64:ff9b::7f00:1", family: 6 }],
      [{ address: "fd00::1", family: 6 }, PUBLIC],
      [],
    ];
    for (const answer of answers) {
      const fetch = guarded({ lookup: async () => answer });
      const error = await failureOf(() => fetch(`http://rebind.example.com:${canary.port}/`));
      expect(error.code).toBe("provider_failed");
    }
    expect(canary.hits).toBe(0);
  });

  it("is not reached by a call that may not come to it, though it is allowed, neither at once nor by a redirect", async () => {
    const canary = await listener();
    const inside = `http://127.0.0.1:${canary.port}/`;
    const own = await listener((_, out) => out.writeHead(302, { location: inside }).end());
    const fetch = guarded({ allowPrivateHosts: ["127.0.0.1"] });
    const mayReachPrivateHost = (url: URL) => url.port === `${own.port}`;
    for (const url of [inside, `http://127.0.0.1:${own.port}/`]) {
      const error = await failureOf(() => fetch(url, { mayReachPrivateHost }));
      expect(error).toMatchObject({ code: "invalid_input", retryable: false });
      expect(error.message).toContain(`127.0.0.1:${canary.port} is a private host that this call may not reach`);
    }
    expect([own.hits, canary.hits]).toEqual([1, 0]);
    expect(await (await fetch(`http://127.0.0.1:${own.port}/`)).text()).toBe("inside");
  });

  it("is not reached by a name that stands for a public host first and for it later", async () => {
    const canary = await listener();
    const asked: string[] = [];
    const answers = [[{ address: "192.0.2.1", family: 4 }], [INSIDE]];
    const fetch = guarded({
      lookup: async (name) => {
        asked.push(name);
        return answers.shift() ?? [INSIDE];
      },
    });
    const url = `http://rebind.example.com:${canary.port}/`;
    for (const _ of [1, 2, 3]) await failureOf(() => fetch(url));
    expect(asked).toHaveLength(3);
    expect(canary.hits).toBe(0);
  });

  it("is reached where it is allowed, by that name and port only", async () => {
    const canary = await listener();
    const lookup = async () => [INSIDE];
    const fetch = guarded({ allowPrivateHosts: [`127.0.0.1:${canary.port}`, "crawl.example.com"], lookup });
    for (const host of ["127.0.0.1", "2130706433", "crawl.example.com"]) {
      expect(await (await fetch(`http://${host}:${canary.port}/`)).text()).toBe("inside");
    }
    const { hits } = canary;
    await failureOf(() => fetch(`http://localhost:${canary.port}/`));
    await failureOf(() => fetch(`http://other.example.com:${canary.port}/`));
    await failureOf(() => fetch("http://127.0.0.1/"));
    expect(canary.hits).toBe(hits);
  });

  it("is not reached by what the call's own options name", async () => {
    const canary = await listener();
    const fetch = guarded({ lookup: async () => [{ address: "fd00::1", family: 6 }] });
    const dispatcher = { dispatch: () => globalThis.fetch(`http://127.0.0.1:${canary.port}/`) };
    const init = { dispatcher, lookup: async () => [INSIDE], headers: { host: `127.0.0.1:${canary.port}` } };
    await failureOf(() => fetch("http://example.com/", init as unknown as RequestInit));
    expect(canary.hits).toBe(0);
  });
});

it("tells nobody whether a port is open, what listens there, and whether a name is known", async () => {
  const open = await listener();
  const closed = await listener();
  const lookup = async (name: string) => {
    if (name === "unknown.example.com") throw new Error("getaddrinfo ENOTFOUND");
    return [name === "private.example.com" ? { address: "10.1.2.3", family: 4 } : INSIDE];
  };
  const fetch = guarded({ lookup, allowPrivateHosts: [], limits: { headersMs: 1000 } });
  const messages = new Set<string>();
  for (const name of ["unknown.example.com", "private.example.com", "inside.example.com"]) {
    for (const port of [open.port, closed.port + 1, 1]) {
      const { code, message, retryable } = await failureOf(() => fetch(`http://${name}:${port}/`));
      messages.add(JSON.stringify([code, message.replaceAll(name, "NAME").replaceAll(`:${port}`, "")]));
      // A name of private addresses would have them at the next try, too. Of port 1 Fetch itself looks nothing up.
      expect(retryable, name).toBe(name === "unknown.example.com" || port === 1);
    }
  }
  expect([...messages]).toHaveLength(1);

  const mute = await listener((request) => void request.socket.write("SSH-2.0-OpenSSH_9.6\r\n"));
  const stalls = await listener(() => {});
  const hangsUp = await listener((request) => void request.socket.destroy());
  const ports = [mute, stalls, hangsUp].map(({ port }) => port);
  const allowing = guarded({ allowPrivateHosts: ["127.0.0.1"], limits: { headersMs: 200 } });
  const heard = await Promise.all([...ports, 1].map((port) => failureOf(() => allowing(`http://127.0.0.1:${port}/`))));
  const bare = heard.map(({ code, message }) => `${code} ${message.replace(/:\d+/, "")}`);
  expect(new Set(bare).size).toBe(1);
});

describe("redirects", () => {
  /** A server whose paths are the redirects that they name, reached as any host of example.com. */
  async function redirecting(targets: (port: number) => Record<string, [status: number, location: string]>) {
    const seen: { url: string; method: string; headers: Record<string, unknown>; body: string }[] = [];
    const server = await listener(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      const { url = "", method = "", headers } = request;
      seen.push({ url, method, headers, body });
      const [status, location] = targets(server.port)[url] ?? [200, ""];
      response.writeHead(status, location ? { location } : {}).end(`end of ${url}`);
    });
    const origin = `http://127.0.0.1:${server.port}`;
    return { ...server, origin, seen, fetch: guarded({ allowPrivateHosts: [`127.0.0.1:${server.port}`] }) };
  }

  it.each([301, 302, 303, 307, 308])("of %i are not followed to what is not public", async (status) => {
    const canary = await listener();
    const hosts = ["localhost", "127.0.0.1", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "a.internal"];
    const { fetch, origin } = await redirecting(() => {
      const to = (host: string): [number, string] => [status, `http://${host}:${canary.port}/`];
      return Object.fromEntries(hosts.map((host) => [`/${encodeURIComponent(host)}`, to(host)]));
    });
    for (const host of hosts) {
      const error = await failureOf(() => fetch(`${origin}/${encodeURIComponent(host)}`));
      expect(error.code, host).toBe("invalid_input");
    }
    expect(canary.hits).toBe(0);
  });

  it.each([
    "file:///etc/passwd",
    "ftp://example.com/",
    "data:,text",
    "javascript:1",
    "http://[",
    "gopher://x.example/",
  ])("to %s are refused", async (location) => {
    const { fetch, origin } = await redirecting(() => ({ "/": [302, location] }));
    expect((await failureOf(() => fetch(origin))).code).toMatch(/^(?:invalid_input|provider_failed)$/);
  });

  it("are followed five times, no further, and not for ever", async () => {
    const { fetch, origin, seen } = await redirecting(() => ({
      "/1": [302, "/2"],
      "/2": [301, "3"],
      "/3": [303, "./4"],
      "/4": [307, "/x/../5"],
      "/5": [308, "/6"],
      "/0": [302, "/1"],
      "/loop": [302, "/loop"],
    }));
    const response = await fetch(`${origin}/1#part`);
    expect(await response.text()).toBe("end of /6");
    expect([response.url, response.redirected]).toEqual([`${origin}/6#part`, true]);
    const before = seen.length;
    expect((await failureOf(() => fetch(`${origin}/0`))).message).toContain("redirect");
    expect(seen.length - before).toBe(6);
    expect((await failureOf(() => fetch(`${origin}/loop`))).message).toContain("redirect");
    expect(seen.length - before).toBe(12);
  });

  it("keep a body for 307 and 308 and lose it for the others, as Fetch says", async () => {
    const { fetch, origin, seen } = await redirecting(() => {
      return Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`/${status}`, [status, "/end"]]));
    });
    for (const status of [301, 302, 303, 307, 308]) {
      await (await fetch(`${origin}/${status}`, { method: "POST", body: '{"a":1}', headers: { "x-key": "k" } })).text();
      const { method, body, headers } = seen.at(-1)!;
      expect([method, body, headers["x-key"]]).toEqual(status < 304 ? ["GET", "", "k"] : ["POST", '{"a":1}', "k"]);
    }
  });

  it("hand credentials, whatever their header's name, to the first origin only", async () => {
    const second = await redirecting(() => ({}));
    const { fetch: _, ...first } = await redirecting(() => ({
      "/same": [302, "/end"],
      "/away": [302, `${second.origin}/end`],
      "/away-with-body": [307, `${second.origin}/end`],
    }));
    const fetch = guarded({ allowPrivateHosts: ["127.0.0.1"] });
    const headers = {
      authorization: "Bearer k",
      "api-key": "k",
      "x-goog-api-key": "k",
      cookie: "a=k",
      accept: "text/html",
    };
    await (await fetch(`${first.origin}/same`, { headers })).text();
    expect(first.seen.at(-1)?.headers).toMatchObject(headers);
    await (await fetch(`${first.origin}/away`, { headers })).text();
    const heard = second.seen.at(-1)!.headers;
    expect(heard.accept).toBe("text/html");
    expect(Object.keys(heard)).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(JSON.stringify(heard)).not.toMatch(/"[^"]*\bk"/);

    await (await fetch(`${first.origin}/away`.replace("//", "//me:pass%20word@"))).text();
    expect(first.seen.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from("me:pass word").toString("base64")}`);
    expect(second.seen.at(-1)?.headers.authorization).toBeUndefined();
    await (await fetch(`${first.origin}/end`.replace("//", "//100%:%zz@"))).text();
    expect(first.seen.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from("100%:%zz").toString("base64")}`);

    const hits = second.seen.length;
    const error = await failureOf(() => fetch(`${first.origin}/away-with-body`, { method: "POST", body: "text" }));
    expect(error.message).toContain("another origin");
    expect(second.seen.length).toBe(hits);
  });

  it("are given back or refused where the call says so", async () => {
    const { fetch, origin, seen } = await redirecting(() => ({ "/": [302, "/end"] }));
    const response = await fetch(origin, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "/end"]);
    await response.text();
    await failureOf(() => fetch(origin, { redirect: "error" }));
    expect(seen.map(({ url }) => url)).toEqual(["/", "/"]);
  });
});

it("is a fetch: takes Request, URL and FormData, and answers with status, headers and JSON", async () => {
  const server = await listener(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { method, headers } = request;
    response.writeHead(201, { "content-type": "application/json", "x-id": "7" });
    response.end(JSON.stringify({ method, body, type: headers["content-type"], length: headers["content-length"] }));
  });
  const fetch: typeof globalThis.fetch = guarded({ allowPrivateHosts: ["127.0.0.1"] });
  const url = `http://127.0.0.1:${server.port}/`;
  const answer = await fetch(new URL(url), { method: "PUT", body: new Uint8Array([104, 105]) });
  expect([answer.status, answer.ok, answer.headers.get("x-id"), answer.url]).toEqual([201, true, "7", url]);
  expect(await answer.json()).toMatchObject({ method: "PUT", body: "hi", length: "2" });
  const request = new Request(url, { method: "POST", body: "ho", headers: { "content-type": "text/x" } });
  expect(await (await fetch(request)).json()).toMatchObject({
    method: "POST",
    body: "ho",
    type: "text/x",
    length: "2",
  });
  const form = new FormData();
  form.set("name", "value");
  const sent = (await (await fetch(url, { method: "POST", body: form })).json()) as { type: string; body: string };
  expect(sent.type).toMatch(/^multipart\/form-data; boundary=/);
  expect(sent.body).toContain("value");
});

it("ends with the caller's own reason, before the answer and amid its body", async () => {
  const server = await listener((request, response) => {
    if (request.url === "/stall") return;
    response.writeHead(200).write("first");
  });
  const fetch = guarded({ allowPrivateHosts: ["127.0.0.1"] });
  const origin = `http://127.0.0.1:${server.port}`;
  const reason = new DOMException("not wanted any more", "AbortError");
  const aborted = AbortSignal.abort(reason);
  await expect(fetch(`${origin}/body`, { signal: aborted })).rejects.toBe(reason);
  const stalled = new AbortController();
  const stalling = fetch(`${origin}/stall`, { signal: stalled.signal });
  setImmediate(() => stalled.abort(reason));
  await expect(stalling).rejects.toBe(reason);
  const reading = new AbortController();
  const body = (await fetch(`${origin}/body`, { signal: reading.signal })).body!.getReader();
  await body.read();
  const rest = body.read();
  reading.abort(reason);
  await expect(rest).rejects.toBe(reason);
});

it("gives KnowledgeBaseErrors that a copy of the package knows", async () => {
  expect(KnowledgeBaseError.is(await failureOf(() => guarded()("http://localhost/")), "invalid_input")).toBe(true);
});
