import { describe, expect, it } from "vitest";
import { checkPublicUrl } from "#dist/net/check-public-url.js";
import { isPublicAddress } from "#dist/net/public-address.js";
import { privateHosts } from "../support/address-spellings.js";
import { failureOf } from "../support/knowledge-base.js";

describe("isPublicAddress", () => {
  it.each(["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "168.63.129.15", "172.15.255.255"])(
    "%s is public",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each(["172.32.0.0", "192.0.3.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::1", "2001:200::1"])(
    "%s is public",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each(["2606:4700:4700::1111", "2a00:1450:4001:82b::200e", "3ffe:ffff::1", "64:ff9b::808:808", "64:ff9b::8.8.8.8"])(
    "%s is public",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    "",
    "example.com",
    "1.2.3",
    "fe80::1%eth0",
    "2606:4700::1%eth0",
    "64:ff9b::",
    "64:ff9b::1",
    "64:ff9b::a00:0",
  ])("%j is not", (address) => expect(isPublicAddress(address)).toBe(false));
});

describe("checkPublicUrl", () => {
  it("refuses every spelling of a host that is not public, and names the field", async () => {
    const hosts = privateHosts();
    expect(hosts.length).toBeGreaterThan(500);
    for (const host of hosts) {
      const error = await failureOf(() => checkPublicUrl(`https://${host}/v1`, "embeddingConfig.baseUrl"));
      expect(error.code, host).toBe("invalid_input");
      expect(
        error.issues.map(({ field }) => field),
        host,
      ).toEqual(["embeddingConfig.baseUrl"]);
      expect(error.message, host).toContain("network.allowPrivateHosts");
    }
  });

  it.each([
    "https://api.openai.com/v1",
    "http://8.8.8.8:8080",
    "https://[2606:4700:4700::1111]/",
    "https://local.example",
  ])("takes %s", (url) => expect(checkPublicUrl(url, "baseUrl").href).toBe(new URL(url).href));

  it.each(["file:///etc/passwd", "ftp://example.com", "data:,x", "gopher://example.com", "nonsense"])(
    "refuses %s",
    async (url) => expect((await failureOf(() => checkPublicUrl(url, "baseUrl"))).code).toBe("invalid_input"),
  );

  it("takes private hosts that are allowed, at the port that is allowed", async () => {
    const allow = ["localhost", "10.0.0.7:8080", "[::1]:443", "Search.Internal"];
    for (const url of ["http://localhost:1", "http://0x0a000007:8080", "https://[0::1]", "https://search.internal/x"]) {
      expect(checkPublicUrl(url, "baseUrl", allow).protocol).toMatch(/^http/);
    }
    for (const url of ["http://10.0.0.7", "http://[::1]", "http://127.0.0.1", "http://a.localhost"]) {
      expect((await failureOf(() => checkPublicUrl(url, "baseUrl", allow))).code, url).toBe("invalid_input");
    }
  });

  it("tells no credentials, path or query of what it refuses", async () => {
    const error = await failureOf(() => checkPublicUrl("http://me:hush@10.0.0.1/hidden?key=quiet", "baseUrl"));
    expect(JSON.stringify([error.message, error.issues])).not.toMatch(/hush|hidden|quiet/);
  });

  it.each(["", "http://localhost", "a/b", "me@host", "host:", "host:99999", "two words"])(
    "refuses %j as an allowed host",
    async (host) => {
      const error = await failureOf(() => checkPublicUrl("https://example.com", "baseUrl", [host]));
      expect(error.issues[0]?.field).toBe("allowPrivateHosts");
    },
  );
});
