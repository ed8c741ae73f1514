import { createHandler } from "lorebase/http";
import { describe, expect, it } from "vitest";
import { attachAddress, clientAddress } from "#dist/http/client-address.js";
import { openPage } from "./support/page-server.js";
import { userMessage } from "./support/ui-message-stream.js";

const LIMITS = { searchesPerMinute: 3, questionsPerMinute: 2 };
const messages = [userMessage("When is the lamp lit?")];

describe("the limits of a page", () => {
  it("are those of each address: of searches, and of questions", async () => {
    const page = await openPage({ page: { limits: LIMITS, trustProxy: true } });
    const from = (address: string) => ({ "x-forwarded-for": `1.1.1.1, ${address}` });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call++) statuses.push((await page.get("/search?q=lamp", from("9.9.9.9"))).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await page.get("/search?q=lamp", from("9.9.9.9"));
    expect(JSON.parse(refused.text).error.code).toBe("rate_limited");
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    const shown = await page.get("?q=lamp", from("9.9.9.9"));
    expect([shown.status, shown.text.includes("Too many requests")]).toEqual([429, true]);
    expect((await page.get("", from("9.9.9.9"))).status).toBe(200);
    expect((await page.get("/search?q=lamp", from("8.8.8.8"))).status).toBe(200);
    const asked: number[] = [];
    for (let call = 0; call < 3; call++) asked.push((await page.post("/chat", { messages }, from("9.9.9.9"))).status);
    expect(asked).toEqual([200, 200, 429]);
    const other = await page.another({ protected: false });
    expect((await other.get("/search?q=lamp", from("9.9.9.9"))).status).toBe(200);
  });

  it("are those of each signed-in visitor, wherever", async () => {
    const page = await openPage({
      settings: { protected: true, allowedEmailDomains: ["light.example"] },
      page: { limits: LIMITS },
    });
    const [one, two] = [await page.signIn("one@light.example"), await page.signIn("two@light.example")];
    const search = async (cookie: string) => (await page.get("/search?q=lamp", { cookie })).status;
    for (let call = 0; call < 3; call++) expect(await search(one)).toBe(200);
    expect(await search(one)).toBe(429);
    expect(await search(two)).toBe(200);
  });

  it("are shared, ten times as high, if no address is known", async () => {
    const { kb, path } = await openPage();
    const handler = createHandler(kb, { page: { limits: LIMITS } });
    const search = async () => {
      const headers = { "x-forwarded-for": String(Math.random()) };
      const response = await handler(new Request(`http://localhost${path}/search?q=lamp`, { headers }));
      return response.status;
    };
    for (let call = 0; call < 30; call++) expect(await search()).toBe(200);
    expect(await search()).toBe(429);
  });
});

describe("clientAddress", () => {
  const address = (forwarded: string | null, proxies: number, socket?: string) => {
    const headers = forwarded === null ? {} : { "x-forwarded-for": forwarded };
    return clientAddress(attachAddress(new Request("http://localhost/", { headers }), socket), proxies);
  };

  it.each([
    ["without trust, that of the socket", "9.9.9.9", 0, "10.0.0.1", "10.0.0.1"],
    ["what the last proxy has written", "6.6.6.6, 9.9.9.9", 1, "10.0.0.1", "9.9.9.9"],
    ["what the first of two proxies has written", "6.6.6.6, 9.9.9.9, 10.0.0.2", 2, "10.0.0.1", "9.9.9.9"],
    ["the only one of fewer entries than proxies", "9.9.9.9", 3, "10.0.0.1", "9.9.9.9"],
    ["that of the socket, if no proxy was passed", null, 1, "10.0.0.1", "10.0.0.1"],
    ["without a port", "9.9.9.9:4711", 1, undefined, "9.9.9.9"],
    ["of IPv6 the network", "[2001:db8:0:1:2:3:4:5]:443", 1, undefined, "2001:db8:0:1"],
    ["of short IPv6 the network", "2001:0DB8::7", 1, undefined, "2001:db8:0:0"],
    ["of mapped IPv4 the address", null, 0, "::ffff:10.0.0.1", "10.0.0.1"],
    ["none if it isn't an address", "<script>", 1, undefined, null],
    ["none in a server that doesn't tell", null, 0, undefined, null],
  ])("is %s", (_, forwarded, proxies, socket, expected) => {
    expect(address(forwarded, proxies, socket)).toBe(expected);
  });
});
