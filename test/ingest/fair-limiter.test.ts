import fc from "fast-check";
import { expect, it } from "vitest";
import { FairLimiter } from "#dist/ingest/fair-limiter.js";
import { FairShare } from "#dist/ingest/fair-share.js";

const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Takes turns and says of each, by its name, when it has come. */
function taker(turns: FairLimiter) {
  const held = new Map<string, () => void>();
  return {
    held,
    take(name: string, signal = never) {
      const [organizationId, origin] = name.split(" ") as [string, string];
      const taken = turns.acquire({ organizationId, origin }, signal).then((leave) => held.set(name, leave));
      taken.catch(() => {});
      return taken;
    },
    leave(name: string) {
      held.get(name)!();
      held.delete(name);
    },
  };
}

it("leaves one slot for every organization, until there is none", () => {
  const organizations = fc.array(fc.stringMatching(/^[a-h]$/), { maxLength: 200 });
  fc.assert(
    fc.property(
      organizations,
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 8 }),
      (takers, limit, divisor) => {
        const share = new FairShare({ limit, divisor });
        let held = 0;
        for (const taker of takers) {
          if (!share.hasRoom(taker)) continue;
          share.add(taker);
          held++;
          expect(held).toBeLessThanOrEqual(limit);
          expect(share.hasRoom("newcomer")).toBe(held < limit);
          for (const full of share.fullOrganizations()) expect(share.hasRoom(full)).toBe(false);
        }
        expect(share.isExhausted).toBe(held === limit);
      },
    ),
  );
});

it("gives an origin a part of an organization's slots, and serves organizations in turn", async () => {
  const turns = new FairLimiter({ limit: 16, divisor: 2, perOrigin: 2 });
  const { held, take, leave } = taker(turns);
  for (let file = 0; file < 6; file++) void take(`a slow ${file}`);
  void take("a quick 0");
  void take("b slow 0");
  await settled();
  expect([...held.keys()]).toEqual(["a slow 0", "a slow 1", "a quick 0", "b slow 0"]);
  expect(turns.hasWaiting).toBe(true);
  leave("a slow 1");
  await settled();
  expect(held.has("a slow 2")).toBe(true);
  expect(held.has("a slow 3")).toBe(false);
});

it("alternates between organizations when few slots are left", async () => {
  const { held, take, leave } = taker(new FairLimiter({ limit: 1, divisor: 1, perOrigin: 9 }));
  for (const name of ["a x 1", "a x 2", "a x 3", "b x 1", "b x 2", "c x 1"]) void take(name);
  const order: string[] = [];
  for (await settled(); held.size > 0; await settled()) {
    const [name] = held.keys();
    order.push(name!);
    leave(name!);
  }
  expect(order).toEqual(["a x 1", "a x 2", "b x 1", "c x 1", "a x 3", "b x 2"]);
});

it("drops requests that are aborted while they wait, and releases a slot only once", async () => {
  const turns = new FairLimiter({ limit: 1, divisor: 1, perOrigin: 1 });
  const { held, take } = taker(turns);
  void take("a x 1");
  await settled();
  const leaving = new AbortController();
  const left = take("a x 2", leaving.signal);
  leaving.abort(new Error("enough"));
  await expect(left).rejects.toThrow("enough");
  expect(turns.hasWaiting).toBe(false);
  held.get("a x 1")!();
  held.get("a x 1")!();
  void take("a x 3");
  void take("a x 4");
  await settled();
  expect([...held.keys()]).toEqual(["a x 1", "a x 3"]);
});
