import { manualClock } from "lorebase/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPageCode, verifyPageCode } from "#dist/resources/page-code.js";
import { type OpenEngine, openEngine } from "../support/open-engine.js";

const PAGE = { slug: "light", namespaceId: "ns_1" };
const EMAIL = "keeper@example.com";
const clock = manualClock();

let open: OpenEngine;
beforeAll(async () => {
  open = await openEngine({ clock: () => new Date(clock.now()), masterKey: "77".repeat(32) });
});
afterAll(() => open.close());

const create = () => createPageCode(open.engine, PAGE, EMAIL);
const verify = (given: { code: string; requestId: string; email?: string }, page = PAGE, { engine } = open) =>
  verifyPageCode(engine, page, { email: EMAIL, ...given });

it("a code works once, and not for another address, page or request", async () => {
  const code = create();
  expect(code.code).toMatch(/^\d{6}$/);
  expect(code.requestId.length).toBeLessThanOrEqual(36);
  const other = create();
  for (const wrong of [{ email: "other@example.com" }, { requestId: other.requestId }, { requestId: "a.b.c" }])
    expect(await verify({ ...code, ...wrong })).toBe(false);
  expect(await verify(code, { ...PAGE, namespaceId: "ns_2" })).toBe(false);
  expect(await verify(code)).toBe(true);
  expect(await verify(code)).toBe(false);
});

it("a request that was not asked for can't be tried, whichever code it has", async () => {
  const { requestId } = create();
  const [random, expires, signature] = requestId.split(".");
  const later = (Number.parseInt(expires!, 36) + 1000).toString(36);
  for (const changed of [`A${random!.slice(1)}.${expires}.${signature}`, `${random}.${later}.${signature}`]) {
    const codes = Array.from({ length: 20 }, (_, n) => String(n).padStart(6, "0"));
    for (const code of codes) expect(await verify({ code, requestId: changed })).toBe(false);
  }
});

it("a code ends with its tries and its time", async () => {
  const tried = create();
  const wrong = tried.code === "000000" ? "000001" : "000000";
  for (let time = 0; time < 5; time++) expect(await verify({ ...tried, code: wrong })).toBe(false);
  expect(await verify(tried)).toBe(false);
  const late = create();
  await clock.advance(600_000 - 1);
  const timely = create();
  await clock.advance(1);
  expect(await verify(late)).toBe(false);
  expect(await verify(timely)).toBe(true);
});

it("a code is right in another process with the same key, and wrong with another key", async () => {
  const code = create();
  const same = await openEngine({ clock: () => new Date(clock.now()), masterKey: "77".repeat(32) });
  const different = await openEngine({ clock: () => new Date(clock.now()), masterKey: "88".repeat(32) });
  expect(await verify(code, PAGE, different)).toBe(false);
  expect(await verify(code, PAGE, same)).toBe(true);
  await Promise.all([same.close(), different.close()]);
});
