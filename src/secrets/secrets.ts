import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import { KEY_BYTES } from "./master-key.js";
import { makeSecretKey, readSecretKeys } from "./secret-key-file.js";

const NONCE_BYTES = 12;
const KEY_ID_BYTES = 6;

/** What a signature is good for: each has a key of its own, so that none of one kind passes for another. */
export type SigningPurpose = "upload-url" | "download-url";

/** What a derived key may be used for; none can be computed from another (RFC 5869). */
type Purpose = "stored-value" | "key-id" | SigningPurpose;

/** Where a sealed value belongs: opened anywhere else, it can't be read. */
export interface SealedPlace {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** The record that it is of. */
  readonly owner: string;
  readonly field: string;
}

/**
 * Seals values at rest and signs URLs with keys derived from master keys, which are kept apart from the database: a copy of the database
 * alone reveals nothing. The first master key seals and signs; the others still open and verify what they sealed and signed.
 */
export class Secrets {
  /** By name, the one to use first. */
  readonly #roots: ReadonlyMap<string, Uint8Array>;

  private constructor(roots: readonly Uint8Array[]) {
    this.#roots = new Map(roots.map((root) => [keyIdOf(root), root]));
  }

  /**
   * Takes the given master keys, and after them those of `secret.key` in the directory, which is made where there is neither. Two
   * processes that start at once get the same.
   */
  static async open(directory: string, masterKeys: readonly Uint8Array[] = []): Promise<Secrets> {
    const read = async () => [...masterKeys, ...(await readSecretKeys(directory))];
    const keys = await read();
    if (keys.length > 0) return new Secrets(keys);
    await makeSecretKey(directory);
    return new Secrets(await read());
  }

  /** Names the key that seals. Twelve hexadecimal digits, from which the key can't be had. */
  get keyId(): string {
    return [...this.#roots.keys()][0]!;
  }

  /** Whether a key of that name is among those given. */
  has(keyId: string): boolean {
    return this.#roots.has(keyId);
  }

  /** AES-256-GCM under a nonce of its own. The result says with which key: `v1.<key id>.<nonce>.<ciphertext>.<tag>`. */
  seal(value: string, place: SealedPlace): string {
    const { keyId } = this;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key(keyId, "stored-value"), nonce).setAAD(bound(place, keyId));
    const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
    return ["v1", keyId, ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(".");
  }

  /**
   * @throws KnowledgeBaseError `not_ready` where the key that it was sealed with is not among those given, `internal` for a value that
   * was changed or belongs elsewhere
   */
  unseal(sealed: string, place: SealedPlace): string {
    const [version, keyId = "", ...parts] = sealed.split(".");
    const [nonce, value, tag] = parts.map((part) => Buffer.from(part, "base64url"));
    if (version !== "v1" || !nonce || !value || tag?.length !== 16) throw unreadable(place);
    if (!this.has(keyId)) throw this.#missingKey(keyId, place);
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key(keyId, "stored-value"), nonce)
        .setAAD(bound(place, keyId))
        .setAuthTag(tag);
      return decipher.update(value, undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw unreadable(place, cause);
    }
  }

  /** HMAC-SHA-256 of a message, as base64url. */
  sign(purpose: SigningPurpose, message: string): string {
    return this.#sign(this.keyId, purpose, message);
  }

  verify(purpose: SigningPurpose, message: string, signature: string): boolean {
    const given = Buffer.from(signature);
    return [...this.#roots.keys()].some((keyId) => {
      const expected = Buffer.from(this.#sign(keyId, purpose, message));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }

  #sign(keyId: string, purpose: SigningPurpose, message: string): string {
    return createHmac("sha256", this.#key(keyId, purpose)).update(message).digest("base64url");
  }

  #key(keyId: string, purpose: Purpose): Buffer {
    return derive(this.#roots.get(keyId)!, purpose, KEY_BYTES);
  }

  /** Another process may have the key: what needs it can wait. */
  #missingKey(keyId: string, { field, owner }: SealedPlace): KnowledgeBaseError {
    const message =
      `${field} of ${owner} was sealed with the master key ${keyId}, which was not given (given: ${[...this.#roots.keys()].join(", ")}). ` +
      "Add that key to the option masterKey, or put the secret.key that it was in back into the directory.";
    return new KnowledgeBaseError("not_ready", message, { retryable: true });
  }
}

function keyIdOf(root: Uint8Array): string {
  return derive(root, "key-id", KEY_ID_BYTES).toString("hex");
}

function derive(root: Uint8Array, purpose: Purpose, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", root, "", `lorebase ${purpose}`, bytes));
}

/** As JSON: no two places have the same text, whatever their parts contain. */
function bound({ organizationId, namespaceId, owner, field }: SealedPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([organizationId, namespaceId, owner, field, keyId]));
}

function unreadable({ field, owner }: SealedPlace, cause?: unknown): KnowledgeBaseError {
  const message = `${field} of ${owner} was changed in the database, or belongs elsewhere: it cannot be opened.`;
  return new KnowledgeBaseError("internal", message, { cause });
}
