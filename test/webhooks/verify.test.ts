import { verifyWebhook } from "lorebase/webhooks";
import { describe, expect, it } from "vitest";
import { signWebhook } from "#dist/webhooks/sign.js";
import { seededRandom } from "../campaigns/random.js";
import { failureOf } from "../support/knowledge-base.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NOW = new Date(1_614_265_330_000);
const BODY =
  '{"type":"webhook.ping","timestamp":"2021-02-25T15:02:10.000Z","data":{"id":"wh_1","organizationId":"org"}}';

interface Request {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

const SIGNED: Request = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  signature: signWebhook({ id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: BODY }, SECRET),
  body: BODY,
};

function verify({ id, timestamp, signature, body }: Request, secret: string | readonly string[] = SECRET, now = NOW) {
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  return verifyWebhook(headers, body, secret, { now });
}

it("signs as other implementations of the specification do", () => {
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: '{"test": 2432232314}' };
  expect(signWebhook(message, SECRET)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

it("accepts a signed request, with every kind of headers and bodies", () => {
  expect(verify(SIGNED).type).toBe("webhook.ping");
  const headers = new Headers({
    "Webhook-Id": SIGNED.id,
    "Webhook-Timestamp": SIGNED.timestamp,
    "Webhook-Signature": SIGNED.signature,
  });
  expect(verifyWebhook(headers, new TextEncoder().encode(BODY), SECRET, { now: NOW }).data.id).toBe("wh_1");
});

it("accepts one of several signatures and one of several secrets", () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const both = { ...SIGNED, signature: `v1,AAAA v1a,x ${SIGNED.signature}` };
  expect(verify(both).type).toBe("webhook.ping");
  expect(verify(SIGNED, [other, SECRET]).type).toBe("webhook.ping");
});

describe("refuses", () => {
  const refused = async (change: Partial<Request>) =>
    (await failureOf(() => verify({ ...SIGNED, ...change }))).code === "unauthorized";

  it("300 requests that were altered in one character", async () => {
    const random = seededRandom(1);
    const fields = ["id", "timestamp", "signature", "body"] as const;
    for (let round = 0; round < 300; round++) {
      const field = fields[round % fields.length]!;
      const text = SIGNED[field];
      const place = random.integer(0, text.length - 1);
      const characters = [..."abXY019=+/ ,.{"].filter((character) => character !== text[place]);
      const kinds = [random.pick(characters), "", text[place]!.repeat(2)];
      const altered = text.slice(0, place) + random.pick(kinds) + text.slice(place + 1);
      expect({ field, altered, refused: await refused({ [field]: altered }) }).toMatchObject({ refused: true });
    }
  });

  it("a signature that decodes to the same bytes but is spelled differently", async () => {
    expect(await refused({ signature: SIGNED.signature.replace(/=$/, "") })).toBe(true);
    expect(await refused({ signature: SIGNED.signature.replace("v1,", "v2,") })).toBe(true);
    expect(await refused({ signature: "" })).toBe(true);
  });

  it("a request that is more than five minutes old, or ahead", async () => {
    const secondsLater = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
    expect(verify(SIGNED, SECRET, secondsLater(300)).type).toBe("webhook.ping");
    expect(verify(SIGNED, SECRET, secondsLater(-300)).type).toBe("webhook.ping");
    for (const seconds of [301, -301])
      expect((await failureOf(() => verify(SIGNED, SECRET, secondsLater(seconds)))).code).toBe("unauthorized");
  });

  it("another secret, and a secret that is none", async () => {
    const other = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
    expect((await failureOf(() => verify(SIGNED, other))).code).toBe("unauthorized");
    for (const secret of ["", "whsec_", SECRET.slice(6), "whsec_AAAA", `${SECRET}!`]) {
      const { code, message } = await failureOf(() => verify(SIGNED, secret));
      expect([code, secret !== "" && message.includes(secret.slice(6) || "\0")]).toEqual(["invalid_input", false]);
    }
  });

  it("a secret from a variable that is not set", async () => {
    const unset = process.env.LOREBASE_TEST_UNSET as string;
    expect(await failureOf(() => verifyWebhook({}, BODY, unset))).toMatchObject({ code: "unauthorized" });
    const headers = { "webhook-id": "1", "webhook-timestamp": "1614265330", "webhook-signature": "v1,AA==" };
    for (const secret of [unset, [SECRET, unset]]) {
      const failure = await failureOf(() => verifyWebhook(headers, BODY, secret, { now: NOW }));
      expect(failure).toMatchObject({
        code: "invalid_input",
        message: expect.stringMatching(/^secret must be whsec_/),
      });
    }
  });

  it("a header that is missing or was given twice", async () => {
    const headers = { "webhook-id": SIGNED.id, "webhook-timestamp": SIGNED.timestamp };
    for (const signature of [undefined, [SIGNED.signature, SIGNED.signature]]) {
      const given = { ...headers, "webhook-signature": signature };
      expect((await failureOf(() => verifyWebhook(given, BODY, SECRET, { now: NOW }))).code).toBe("unauthorized");
    }
  });
});
