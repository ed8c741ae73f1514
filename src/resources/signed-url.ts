import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";

/** The operation that a URL allows. */
export interface Grant {
  readonly kind: "upload" | "download";
  /** Milliseconds since the epoch: the URL works until then, that millisecond included. */
  readonly expires: number;
  /** All that the signature binds, the time among it. */
  readonly binds: readonly (string | number)[];
}

/** A path with the grant's time and signature; absolute if the `publicUrl` option is set. */
export function signedUrl(engine: Engine, path: `/v1/${string}`, grant: Grant): string {
  const signature = engine.secrets.sign(`${grant.kind}-url`, messageOf(grant));
  const address = engine.options.publicUrl ?? "";
  return `${address}${path}?expires=${grant.expires}&signature=${signature}`;
}

/**
 * Lets pass what was signed, and in time.
 * @throws KnowledgeBaseError `forbidden` for a URL that was changed or has expired
 */
export function requireSignature(engine: Engine, grant: Grant, signature: string): void {
  if (!engine.secrets.verify(`${grant.kind}-url`, messageOf(grant), signature)) throw invalidUrl(grant.kind);
  if (grant.expires < engine.now()) {
    throw new KnowledgeBaseError("forbidden", `The ${grant.kind} URL has expired.`);
  }
}

/** The error for a modified URL, and for a URL whose target doesn't exist. */
export function invalidUrl(kind: Grant["kind"]): KnowledgeBaseError {
  return new KnowledgeBaseError("forbidden", `The ${kind} URL is not valid.`);
}

/** As JSON: no two grants have the same text, whatever their parts contain. */
function messageOf({ binds }: Grant): string {
  return JSON.stringify(binds);
}
