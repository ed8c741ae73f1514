import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import { preview } from "../util/preview.js";

/**
 * Returns a tenant id for a name with any characters, such as an e-mail address or `acme/eu-west`: the SHA-256 of the
 * name's UTF-8 bytes in hex, 64 characters. The same name gives the same id in every version. Nothing is normalized:
 * `Acme` and `acme` are two tenants.
 *
 * A name that is already a valid tenant id is hashed too. Otherwise someone could use the hash of another tenant's name
 * as their own name and read that tenant's content. So use this function for all tenants of a namespace or for none.
 *
 * @throws KnowledgeBaseError `invalid_input` unless the name is a string of well-formed Unicode, because UTF-8 encodes
 * all lone surrogates as the same bytes
 * @example
 * const documents = handbook.tenant(tenantIdOf("jane@example.com"));
 */
export function tenantIdOf(name: string): string {
  if (typeof name === "string" && name.isWellFormed()) return createHash("sha256").update(name, "utf8").digest("hex");
  const message = `must be a string of well-formed Unicode, got ${preview(name)}`;
  throw new KnowledgeBaseError("invalid_input", `name: ${message}`, { issues: [{ field: "name", message }] });
}
