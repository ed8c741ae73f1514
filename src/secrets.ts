import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from "node:crypto";
import { existsSync } from "node:fs";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBaseError } from "./errors.js";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** What a signature is good for: each has a key of its own, so that none of one kind passes for another. */
export type SigningPurpose = "upload-url" | "download-url";

/** What a derived key may be used for; none can be computed from another (RFC 5869). */
type Purpose = "stored-value" | SigningPurpose;

/**
 * Encrypts values at rest and signs URLs with keys derived from one secret, which is kept apart from the database
 * (`secret.key` in the directory, readable by its owner only): a copy of the database alone reveals nothing.
 */
export class Secrets {
  readonly #root: Uint8Array;

  private constructor(root: Uint8Array) {
    this.#root = root;
  }

  /** Reads the directory's secret, or makes it. Two processes that start at once get the same. */
  static async open(directory: string): Promise<Secrets> {
    const path = join(directory, "secret.key");
    if (!existsSync(path)) await makeSecret(path);
    return new Secrets(await readSecret(path));
  }

  /** AES-256-GCM. `context` says where the value belongs: moved elsewhere, it can't be read. */
  encrypt(value: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key("stored-value"), nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
    return ["v1", nonce, sealed, cipher.getAuthTag()]
      .map((part) => (typeof part === "string" ? part : part.toString("base64url")))
      .join(".");
  }

  /** @throws KnowledgeBaseError `not_ready` where the secret is another one than the value was encrypted with. */
  decrypt(sealed: string, context: string): string {
    const [, nonce, value, tag] = sealed.split(".").map((part) => Buffer.from(part, "base64url"));
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key("stored-value"), nonce!)
        .setAAD(Buffer.from(context))
        .setAuthTag(tag!);
      return decipher.update(value!, undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw new KnowledgeBaseError(
        "not_ready",
        "A stored secret cannot be read: secret.key is not the one it was written with.",
        { cause },
      );
    }
  }

  /** HMAC-SHA-256 of a message, as base64url. */
  sign(purpose: SigningPurpose, message: string): string {
    return createHmac("sha256", this.#key(purpose)).update(message).digest("base64url");
  }

  verify(purpose: SigningPurpose, message: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(purpose, message));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #key(purpose: Purpose): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#root, "", `lorebase ${purpose}`, KEY_BYTES));
  }
}

/** Written beside its place and linked there whole: nobody reads a part, a kill leaves none, and of two makers the first decides. */
async function makeSecret(path: string): Promise<void> {
  const partial = `${path}.${randomUUID()}`;
  try {
    const file = await open(partial, "wx", 0o600);
    try {
      await file.writeFile(randomBytes(KEY_BYTES).toString("base64url"));
      await file.sync();
    } finally {
      await file.close();
    }
    await link(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(partial, { force: true });
  }
}

async function readSecret(path: string): Promise<Uint8Array> {
  const root = Buffer.from(await readFile(path, "utf8"), "base64url");
  if (root.length === KEY_BYTES) return root;
  throw new KnowledgeBaseError(
    "not_ready",
    `${path} does not hold a key of ${KEY_BYTES} bytes: restore it from where it was backed up.`,
  );
}
