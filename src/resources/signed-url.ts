import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";

/** The operation that a signed URL allows. */
export interface Grant {
  readonly kind: "upload" | "download";
  /** The last millisecond, counted since the epoch, in which the URL is valid. */
  readonly expires: number;
  /** All values that the signature covers, including `expires`. */
  readonly signedValues: readonly (string | number)[];
}

/** Returns a URL of the path with the grant's expiry and signature, absolute if the `publicUrl` option is set. */
export function signUrl(engine: Engine, path: `/v1/${string}`, grant: Grant): string {
  const signature = engine.secrets.sign(`${grant.kind}-url`, signedText(grant));
  const base = engine.options.publicUrl ?? "";
  return `${base}${path}?expires=${grant.expires}&signature=${signature}`;
}

/**
 * Checks the signature and expiry of a URL.
 * @throws KnowledgeBaseError `forbidden` if the URL was altered or has expired
 */
export function requireSignature(engine: Engine, grant: Grant, signature: string): void {
  if (!engine.secrets.verify(`${grant.kind}-url`, signedText(grant), signature)) throw invalidUrlError(grant.kind);
  if (grant.expires < engine.now()) {
    throw new KnowledgeBaseError("forbidden", `The ${grant.kind} URL has expired.`);
  }
}

/** Returns the error for an altered URL, and for a URL whose target doesn't exist. */
export function invalidUrlError(kind: Grant["kind"]): KnowledgeBaseError {
  return new KnowledgeBaseError("forbidden", `The ${kind} URL is not valid.`);
}

/** Returns JSON, so that no two grants have the same text, whatever their values contain. */
function signedText({ signedValues }: Grant): string {
  return JSON.stringify(signedValues);
}
