import { KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import { parseInput } from "../validation/parse-input.js";
import { principalsSchema } from "../validation/principals-schema.js";
import { strict } from "../validation/strict.js";

const optionsSchema = strict({ principals: principalsSchema });

/**
 * Returns the principals of a call: those that it names, else those that the handle is bound to.
 * @throws KnowledgeBaseError `invalid_input`, `forbidden` for one that the handle is not bound to
 */
export function narrowPrincipals(
  bound: readonly string[] | null,
  named: readonly string[] | undefined,
): readonly string[] | null {
  if (named === undefined) return bound;
  const { principals } = parseInput(optionsSchema, { principals: named });
  const foreign = principals.find((principal) => bound !== null && !bound.includes(principal));
  if (foreign === undefined) return principals;
  const message = `principals names ${JSON.stringify(foreign)}, to which this handle or API key is not bound.`;
  throw new KnowledgeBaseError("forbidden", message);
}

/** @throws KnowledgeBaseError `forbidden` unless the owner makes the request, who sees all documents */
export function requireOwner({ principals }: Pick<Access, "principals">): void {
  if (principals === null) return;
  const message = "A handle that is bound to principals can only read documents: use the handle without principals.";
  throw new KnowledgeBaseError("forbidden", message);
}
