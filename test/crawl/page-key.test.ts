import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanUrl, pageKey } from "#dist/crawl/page-key.js";

const ONE = [
  [
    "http://example.com/docs/a",
    "https://example.com/docs/a",
    "HTTPS://WWW.Example.COM/docs/a",
    "https://example.com:443/docs/a/",
    "http://example.com:80/docs/a#part",
    "https://example.com./docs/a//",
    "https://me:secret@example.com/docs/./b/../a",
    "https://example.com/docs/a?",
    "https://example.com/docs/a?utm_source=x&UTM_Medium=y&gclid=1&fbclid=2&msclkid=3&mc_cid=4&mc_eid=5&igshid=6&_ga=7",
    "https://example.com/docs/%61?&&",
    "https://example.com/docs/a;jsessionid=0A1B2C",
    "https://example.com/docs/a?PHPSESSID=abc",
  ],
  ["https://example.com/?b=2&a=1&c", "https://example.com?a=1&b=2&c", "https://www.example.com/?c&utm_id=3&b=2&a=1"],
  ["https://example.com/caf%c3%a9", "https://example.com/café", "https://example.com/caf%C3%A9/"],
  ["https://bücher.example/", "https://xn--bcher-kva.example"],
  ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x/"],
];

const DIFFERENT = [
  "https://example.com/",
  "https://example.com/index.html",
  "https://example.com/a",
  "https://example.com/A",
  "https://example.com/a/b",
  "https://example.com/a%2Fb",
  "https://example.com//a",
  "https://example.com/a?b",
  "https://example.com/a?b=",
  "https://example.com/a?b=1",
  "https://example.com/a?b=2",
  "https://example.com/a?b=1&b=2",
  "https://example.com/a?b=2&b=1",
  "https://example.com/a?page=1&utm=2",
  "https://docs.example.com/a",
  "https://example.com:8443/a",
  "https://www.com/a",
  "https://example.org/a",
];

describe("the key of a page", () => {
  it.each(ONE)("is the same for all spellings of %s", (...spellings) => {
    expect(new Set(spellings.map(pageKey))).toEqual(new Set([pageKey(spellings[0]!)]));
  });

  it("differs if the page may differ", () => {
    expect(new Set(DIFFERENT.map(pageKey)).size).toBe(DIFFERENT.length);
  });

  it("equals the key of the URL it spells", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(pageKey(`https://${pageKey(url)}`)).toBe(pageKey(url));
      }),
    );
  });

  it("ignores credentials, fragments, sessions and tracking parameters", () => {
    const parameters = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[a-z0-9%+]{0,3}$/)));
    fc.assert(
      fc.property(parameters, fc.nat(), (pairs, at) => {
        const query = pairs.map(([name, value]) => `${name}=${value}`);
        const tracked = [...query];
        tracked.splice(at % (query.length + 1), 0, "utm_source=news", "yclid=8");
        const [plain, other] = [query, tracked].map((list) => pageKey(`https://example.com/a?${list.join("&")}`));
        expect(other).toBe(plain);
      }),
    );
  });

  it("keeps every segment of the path and every other parameter", () => {
    const segments = fc.array(fc.stringMatching(/^[a-zA-Z0-9_-]{1,5}$/), { minLength: 1, maxLength: 4 });
    const values = fc.dictionary(fc.stringMatching(/^x[a-z]{1,3}$/), fc.stringMatching(/^[A-Za-z0-9]{0,4}$/));
    const address = fc.record({ path: segments, values });
    const spelled = ({ path, values }: { path: string[]; values: Record<string, string> }) =>
      `https://example.com/${path.join("/")}?${new URLSearchParams(values)}`;
    const meaning = ({ path, values }: { path: string[]; values: Record<string, string> }) =>
      JSON.stringify([path, Object.entries(values).sort()]);
    fc.assert(
      fc.property(address, address, (a, b) => {
        expect(pageKey(spelled(a)) === pageKey(spelled(b))).toBe(meaning(a) === meaning(b));
      }),
    );
  });
});

it("cleaning a URL keeps its spelling, without tracking parameters", () => {
  expect(cleanUrl("https://www.example.com/A/?b=2&utm_source=x&a=%61#part").href).toBe(
    "https://www.example.com/A/?b=2&a=%61",
  );
  expect(cleanUrl("https://example.com/?gclid=1").href).toBe("https://example.com/");
  expect(cleanUrl("https://example.com/?").href).toBe("https://example.com/");
  expect(cleanUrl("https://me:secret@example.com/a").href).toBe("https://example.com/a");
});
