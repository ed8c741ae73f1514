import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";

/** The operation that a URL allows. */
export interface Grant {
  readonly kind: "upload" | "download";
  /** When the URL expires, in milliseconds since the epoch; it still works in that millisecond. */
  readonly expires: number;
  /** Everything that the signature covers, including the expiry. */
  readonly signedValues: readonly (string | number)[];
}

/** Returns the path with the grant's expiry and signature; absolute if the `publicUrl` option is set. */
export function signUrl(engine: Engine, path: `/v1/${string}`, grant: Grant): string {
  const signature = engine.secrets.sign(`${grant.kind}-url`, signedText(grant));
  const base = engine.options.publicUrl ?? "";
  return `${base}${path}?expires=${grant.expires}&signature=${signature}`;
}

/**
 * Checks that a URL was signed and has not expired.
 * @throws KnowledgeBaseError `forbidden` for a URL that was changed or has expired
 */
export function requireSignature(engine: Engine, grant: Grant, signature: string): void {
  if (!engine.secrets.verify(`${grant.kind}-url`, signedText(grant), signature)) throw invalidUrlError(grant.kind);
  if (grant.expires < engine.now()) {
    throw new KnowledgeBaseError("forbidden", `The ${grant.kind} URL has expired.`);
  }
}

/** The error for a modified URL, and for a URL whose target doesn't exist. */
export function invalidUrlError(kind: Grant["kind"]): KnowledgeBaseError {
  return new KnowledgeBaseError("forbidden", `The ${kind} URL is not valid.`);
}

/** JSON, so that no two grants have the same text, whatever their values contain. */
function signedText({ signedValues }: Grant): string {
  return JSON.stringify(signedValues);
}
