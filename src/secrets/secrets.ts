import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import { KEY_BYTES } from "./master-key.js";
import { openMasterKeys } from "./secret-key-file.js";

const NONCE_BYTES = 12;
const KEY_ID_BYTES = 6;

/** The purpose of a signature. Each purpose has its own key, so a signature is valid for one purpose only. */
export type SigningPurpose = "upload-url" | "download-url" | "page-session" | "page-code" | "page-visitor";

/** The purpose of a derived key (HKDF, RFC 5869). */
type KeyPurpose = "stored-value" | "key-id" | SigningPurpose;

/** The record and field that a sealed value is bound to. The value can't be unsealed for any other. */
export interface SealContext {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** The id of the record. */
  readonly ownerId: string;
  readonly field: string;
}

/**
 * Encrypts stored values and signs URLs and sessions with keys derived from master keys. Master keys are stored outside
 * the database, so a copy of the database alone reveals no secret. The first master key is active: it seals and signs,
 * while the others only unseal and verify.
 */
export class Secrets {
  /** Master keys by id, the active key first. */
  readonly #masterKeys: ReadonlyMap<string, Uint8Array>;

  /** @param masterKeys The active key first. */
  constructor(masterKeys: readonly Uint8Array[]) {
    this.#masterKeys = new Map(masterKeys.map((key) => [keyIdOf(key), key]));
  }

  /** Loads the given master keys and those of a directory, see {@link openMasterKeys}. */
  static async open(
    directory: string,
    masterKeys: readonly Uint8Array[] = [],
    options: { readonly readOnly?: boolean } = {},
  ): Promise<Secrets> {
    return new Secrets(await openMasterKeys(directory, masterKeys, options));
  }

  /** The id of the active master key: twelve hexadecimal digits, which don't reveal the key. */
  get keyId(): string {
    return [...this.#masterKeys.keys()][0]!;
  }

  /** Returns whether the master key with an id is available. */
  has(keyId: string): boolean {
    return this.#masterKeys.has(keyId);
  }

  /** Encrypts a value with AES-256-GCM and a random nonce. Returns `v1.<key id>.<nonce>.<ciphertext>.<tag>`. */
  seal(value: string, context: SealContext): string {
    const { keyId } = this;
    const nonce = randomBytes(NONCE_BYTES);
    const key = this.#keyFor(keyId, "stored-value");
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(context, keyId));
    const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
    return ["v1", keyId, ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString("base64url"))].join(".");
  }

  /**
   * Decrypts a sealed value.
   * @throws KnowledgeBaseError `not_ready` if the value's master key is not available, `internal` if the value was
   * changed or sealed for another context
   */
  unseal(sealed: string, context: SealContext): string {
    const [version, keyId = "", ...parts] = sealed.split(".");
    const [nonce, value, tag] = parts.map((part) => Buffer.from(part, "base64url"));
    if (version !== "v1" || !nonce || !value || tag?.length !== 16) throw unsealError(context);
    if (!this.has(keyId)) throw this.#missingKeyError(keyId, context);
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#keyFor(keyId, "stored-value"), nonce)
        .setAAD(associatedData(context, keyId))
        .setAuthTag(tag);
      return decipher.update(value, undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw unsealError(context, cause);
    }
  }

  /** Returns the HMAC-SHA-256 of a message, as base64url. */
  sign(purpose: SigningPurpose, message: string): string {
    return this.#sign(this.keyId, purpose, message);
  }

  /** Returns whether a signature was made with any of the master keys. */
  verify(purpose: SigningPurpose, message: string, signature: string): boolean {
    const actual = Buffer.from(signature);
    return [...this.#masterKeys.keys()].some((keyId) => {
      const expected = Buffer.from(this.#sign(keyId, purpose, message));
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    });
  }

  #sign(keyId: string, purpose: SigningPurpose, message: string): string {
    return createHmac("sha256", this.#keyFor(keyId, purpose)).update(message).digest("base64url");
  }

  #keyFor(keyId: string, purpose: KeyPurpose): Buffer {
    return deriveKey(this.#masterKeys.get(keyId)!, purpose, KEY_BYTES);
  }

  /** Returns the error for an unavailable master key. It is retryable: another process may have the key. */
  #missingKeyError(keyId: string, { field, ownerId }: SealContext): KnowledgeBaseError {
    const available = [...this.#masterKeys.keys()].join(", ");
    const message =
      `${field} of ${ownerId} is encrypted with the master key ${keyId}, which is not available ` +
      `(available: ${available}). Add the key to the masterKey option, or restore the secret.key file that had it.`;
    return new KnowledgeBaseError("not_ready", message, { retryable: true });
  }
}

/** Returns the id of a master key: twelve hexadecimal digits. */
export function keyIdOf(masterKey: Uint8Array): string {
  return deriveKey(masterKey, "key-id", KEY_ID_BYTES).toString("hex");
}

function deriveKey(masterKey: Uint8Array, purpose: KeyPurpose, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "", `lorebase ${purpose}`, bytes));
}

/** Serializes a context and key id as JSON, so that different contexts never have the same bytes. */
function associatedData({ organizationId, namespaceId, ownerId, field }: SealContext, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([organizationId, namespaceId, ownerId, field, keyId]));
}

function unsealError({ field, ownerId }: SealContext, cause?: unknown): KnowledgeBaseError {
  const message = `${field} of ${ownerId} cannot be decrypted: the value was changed, or moved from another record.`;
  return new KnowledgeBaseError("internal", message, { cause });
}
