import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Engine } from "../engine/engine.js";
import type { PageSessionScope } from "./page-session.js";

const LIFETIME_MS = 10 * 60_000;
const MAX_TRIES = 5;
const RANDOM_BYTES = 8;
/** In base64url. 72 bits can't be guessed in the lifetime of a code. */
const SIGNATURE_LENGTH = 12;

/** A one-time code of six digits with which a visitor of a hosted page proves to own an e-mail address. */
export interface PageCode {
  readonly code: string;
  /** At most 36 characters. Known only to the browser that asked for the code, so that others can't use up its tries. */
  readonly requestId: string;
}

/**
 * Creates a code. It is derived from the id of its request, which is signed, so every process with the same master key
 * can check it, and codes can only be tried that were asked for.
 */
export function createPageCode(engine: Engine, scope: PageSessionScope, email: string): PageCode {
  const expires = (engine.now() + LIFETIME_MS).toString(36);
  const request = `${randomBytes(RANDOM_BYTES).toString("base64url")}.${expires}`;
  const signer = signerOf(engine, scope, email, request);
  return { code: signer.code(), requestId: `${request}.${signer.signature()}` };
}

/** Whether a code is right. It works once, for ten minutes and five tries, which all processes count together. */
export async function verifyPageCode(
  engine: Engine,
  scope: PageSessionScope,
  { email, code, requestId }: PageCode & { readonly email: string },
): Promise<boolean> {
  const [, request, expires, signature] = /^([\w-]+\.([0-9a-z]{1,11}))\.([\w-]+)$/.exec(requestId) ?? [];
  const signer = signerOf(engine, scope, email, request ?? "");
  const isIssued = isEqual(signature ?? "", signer.signature()) && request !== undefined;
  const isRight = isEqual(code, signer.code());
  if (!isIssued || Number.parseInt(expires!, 36) <= engine.now()) return false;
  const count = async (kind: string, limit: number) => {
    const key = JSON.stringify(["page-code", kind, request]);
    return (await engine.storage.calls.count({ key, limit, windowMs: LIFETIME_MS })).isAllowed;
  };
  return (await count("try", MAX_TRIES)) && isRight && (await count("use", 1));
}

function signerOf({ secrets }: Engine, { slug, namespaceId }: PageSessionScope, email: string, request: string) {
  const sign = (kind: string) => secrets.sign("page-code", JSON.stringify([kind, slug, namespaceId, email, request]));
  return {
    signature: () => sign("request").slice(0, SIGNATURE_LENGTH),
    code: () => String(Buffer.from(sign("code"), "base64url").readUIntBE(0, 6) % 1_000_000).padStart(6, "0"),
  };
}

/** Compares in a time that tells nothing about the texts. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
