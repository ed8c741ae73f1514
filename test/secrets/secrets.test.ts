import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveOptions } from "#dist/options.js";
import { Secrets } from "#dist/secrets/secrets.js";
import { failureOf } from "../support/knowledge-base.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PLACE = { organizationId: "org_1", namespaceId: "ns_1", ownerId: "ns_1", field: "embeddingConfig.apiKey" };
const [A, B, C] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const withKeys = (...keys: Uint8Array[]) => Secrets.open(temporaryDirectory(), keys);

it("signs for one purpose, with the same key at every opening", async () => {
  const directory = temporaryDirectory();
  const secrets = await Secrets.open(directory);
  const signature = secrets.sign("upload-url", "a message");
  expect(secrets.verify("upload-url", "a message", signature)).toBe(true);
  expect(secrets.verify("download-url", "a message", signature)).toBe(false);
  expect(secrets.verify("upload-url", "another message", signature)).toBe(false);
  expect((await Secrets.open(directory)).verify("upload-url", "a message", signature)).toBe(true);
  expect((await Secrets.open(temporaryDirectory())).verify("upload-url", "a message", signature)).toBe(false);
});

it("unseals any value, and never seals to the same text twice", async () => {
  const secrets = await withKeys(A);
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
      (value) => {
        const [one, other] = [secrets.seal(value, PLACE), secrets.seal(value, PLACE)];
        expect(one).not.toBe(other);
        expect([secrets.unseal(one, PLACE), secrets.unseal(other, PLACE)]).toEqual([value, value]);
      },
    ),
  );
});

it("refuses a sealed value that was changed or moved to another context", async () => {
  const secrets = await withKeys(A, B);
  const sealed = secrets.seal("sk-canary", PLACE);
  const places = Object.keys(PLACE).map((part) => ({ ...PLACE, [part]: "other" }));
  for (const place of [...places, { ...PLACE, organizationId: "", namespaceId: "org_1ns_1" }]) {
    expect((await failureOf(() => secrets.unseal(sealed, place))).code).toBe("internal");
  }
  const { keyId: other } = await withKeys(B);
  const [version, keyId, nonce, value, tag] = sealed.split(".") as [string, string, string, string, string];
  const flipped = (text: string) => `${text[0] === "A" ? "B" : "A"}${text.slice(1)}`;
  const changed = [
    ...[
      [version, keyId, flipped(nonce), value, tag],
      [version, keyId, nonce, flipped(value), tag],
    ],
    ...[
      [version, keyId, nonce, value, flipped(tag)],
      [version, keyId, nonce, value, tag.slice(0, 6)],
    ],
    ...[
      [version, keyId, nonce, value, ""],
      [version, keyId, nonce, value],
      [version, other, nonce, value, tag],
    ],
    ...[["v2", keyId, nonce, value, tag], ["sk-canary"], [""]],
  ];
  for (const parts of changed) {
    const error = await failureOf(() => secrets.unseal(parts.join("."), PLACE));
    expect(error.code, parts.join(".")).toBe("internal");
    expect(error.message).not.toContain("canary");
  }
});

it("seals with the first key, unseals and verifies with any", async () => {
  const [old, both, young] = [await withKeys(A), await withKeys(B, A), await withKeys(B)];
  const sealed = old.seal("value", PLACE);
  const signature = old.sign("download-url", "message");
  expect(sealed.split(".")[1]).toBe(old.keyId);
  expect(both.keyId).toBe(young.keyId);
  expect(both.unseal(sealed, PLACE)).toBe("value");
  expect(both.verify("download-url", "message", signature)).toBe(true);
  expect(young.unseal(both.seal("value", PLACE), PLACE)).toBe("value");
  const error = await failureOf(() => young.unseal(sealed, PLACE));
  expect([error.code, error.retryable]).toEqual(["not_ready", true]);
  for (const part of [old.keyId, young.keyId, PLACE.field, "masterKey", "secret.key"])
    expect(error.message).toContain(part);
  expect(young.verify("download-url", "message", signature)).toBe(false);
  expect(both.sign("download-url", "message")).toBe(young.sign("download-url", "message"));
});

it("derives a stable id of twelve digits from a key", async () => {
  const { keyId } = await withKeys(A, B);
  expect(keyId).toMatch(/^[0-9a-f]{12}$/);
  expect((await withKeys(A)).keyId).toBe(keyId);
  expect((await withKeys(B, A, B)).keyId).not.toBe(keyId);
  expect(Buffer.from(A).toString("hex")).not.toContain(keyId);
});

describe("secret.key", () => {
  it("is created once, readable by its owner only, and not if a master key is given", async () => {
    const directory = temporaryDirectory();
    const path = join(directory, "secret.key");
    await Secrets.open(directory, [A]);
    expect(existsSync(path)).toBe(false);
    const opened = await Promise.all([1, 2, 3, 4].map(() => Secrets.open(directory)));
    expect(new Set(opened.map(({ keyId }) => keyId)).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, "utf8");
    await Secrets.open(directory);
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it("is used after the given keys, and has one key per line", async () => {
    const directory = temporaryDirectory();
    const alone = await Secrets.open(directory);
    const sealed = alone.seal("value", PLACE);
    const beside = await Secrets.open(directory, [A]);
    expect([beside.unseal(sealed, PLACE), beside.keyId]).toEqual(["value", (await withKeys(A)).keyId]);

    const path = join(directory, "secret.key");
    await writeFile(path, `${B.toString("base64url")}\n${await readFile(path, "utf8")}\n`);
    const rotated = await Secrets.open(directory);
    expect([rotated.unseal(sealed, PLACE), rotated.keyId]).toEqual(["value", (await withKeys(B)).keyId]);
    await rm(path);
    expect((await Secrets.open(directory)).has(alone.keyId)).toBe(false);
  });

  it("without a key is refused and not changed", async () => {
    for (const text of ["", "short", `${A.toString("hex")}\nshort`]) {
      const directory = temporaryDirectory();
      const path = join(directory, "secret.key");
      await writeFile(path, text);
      const error = await failureOf(() => Secrets.open(directory));
      expect([error.code, error.message]).toEqual(["not_ready", expect.stringContaining("secret.key")]);
      expect(await readFile(path, "utf8")).toBe(text);
    }
  });
});

describe("the option masterKey", () => {
  const hex = A.toString("hex");
  it("accepts 32 bytes as such, as hex or as base64, or a list of them", () => {
    const forms = [
      A,
      new Uint8Array(A),
      hex,
      hex.toUpperCase(),
      A.toString("base64"),
      A.toString("base64url"),
      ` ${hex}\n`,
    ];
    for (const masterKey of forms) {
      expect(resolveOptions({ masterKey }).masterKey?.map((key) => Buffer.from(key).toString("hex"))).toEqual([hex]);
    }
    expect(resolveOptions({ masterKey: [hex, B, C.toString("base64")] }).masterKey).toHaveLength(3);
    expect(resolveOptions({}).masterKey).toBeUndefined();
  });

  it("refuses any other value without showing it", async () => {
    const wrong = [hex.slice(2), `${hex}ab`, "canary", "", 32, new Uint8Array(31), [], [hex, "canary-2"], { key: hex }];
    for (const masterKey of wrong) {
      const error = await failureOf(() => resolveOptions({ masterKey } as never));
      expect(error.code).toBe("invalid_input");
      expect(error.issues[0]?.field).toMatch(/^masterKey/);
      expect(JSON.stringify([error.message, error.issues])).not.toMatch(new RegExp(`canary|${hex.slice(2, 20)}`));
    }
  });
});
