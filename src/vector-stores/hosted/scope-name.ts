import { createHash } from "node:crypto";
import type { Scope } from "../../types.js";

/** Turbopuffer accepts `[A-Za-z0-9-_.]{1,128}`, and Pinecone accepts more. */
const MAX_LENGTH = 128;
const PLAIN_PART = /^[A-Za-z0-9][A-Za-z0-9_]*$/;

/**
 * Returns the name of the vendor's namespace for a scope, unique per scope: `<organization>.<namespace>`, plus
 * `.<tenant>` for a tenant. Parts with other characters than letters, digits and `_` are replaced by their SHA-256.
 */
export function scopeName({ organizationId, namespaceId, tenantId }: Scope): string {
  const parts = tenantId === null ? [organizationId, namespaceId] : [organizationId, namespaceId, tenantId];
  const name = parts.map((part) => (PLAIN_PART.test(part) ? part : `-${digest(part)}`)).join(".");
  return name.length <= MAX_LENGTH ? name : `_${digest(name)}`;
}

function digest(text: string): string {
  return createHash("sha256").update(JSON.stringify(text)).digest("base64url");
}
