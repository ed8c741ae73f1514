import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import type { HostingRow } from "./row-types.js";

export type HostingRecord = CamelCase<HostingRow>;
type HostedPage = Pick<HostingRecord, "namespaceId" | "slug" | "settings">;

export function* getHosting(
  tx: Tx,
  { namespaceId }: { readonly namespaceId: string },
): Operation<HostingRecord | undefined> {
  return camelCase(yield* tx.get<HostingRow>("SELECT * FROM hosting WHERE namespace_id = ?", namespaceId));
}

/** Finds the settings with a slug, of any organization; `undefined` if there are none or their namespace is deleted. */
export function* getHostingBySlug(
  tx: Tx,
  { slug }: { readonly slug: string },
): Operation<(HostingRecord & { readonly organizationId: string }) | undefined> {
  return camelCase(
    yield* tx.get<HostingRow & { readonly organization_id: string }>(
      `SELECT h.*, n.organization_id FROM hosting h JOIN namespaces n ON n.id = h.namespace_id
       WHERE h.slug = ? AND n.deleted_at IS NULL`,
      slug,
    ),
  );
}

/**
 * Adds the settings of a namespace's hosted page.
 * @throws KnowledgeBaseError `conflict` if the namespace already has a page, or the slug is taken
 */
export function* enableHosting(tx: Tx, { settings, now }: { settings: HostedPage; now: number }): Operation<void> {
  yield* tx.lock("namespace", settings.namespaceId);
  if (yield* tx.get("SELECT 1 FROM hosting WHERE namespace_id = ?", settings.namespaceId)) {
    throw new KnowledgeBaseError("conflict", "Hosting is already enabled for this namespace.");
  }
  const added = yield* tx.run(
    `INSERT INTO hosting (namespace_id, slug, settings, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (slug) DO NOTHING`,
    ...[settings.namespaceId, settings.slug, settings.settings, now, now],
  );
  if (added === 0) throw slugTaken(settings.slug);
}

/**
 * Replaces settings. Returns false and changes nothing if they differ from `before`.
 * @throws KnowledgeBaseError `conflict` if the slug is taken
 */
export function* replaceHosting(
  tx: Tx,
  { before, settings, now }: { before: HostedPage; settings: HostedPage; now: number },
): Operation<boolean> {
  const taken = yield* tx.get(
    "SELECT 1 FROM hosting WHERE slug = ? AND namespace_id <> ?",
    settings.slug,
    settings.namespaceId,
  );
  if (taken) throw slugTaken(settings.slug);
  const changed = yield* tx.run(
    "UPDATE hosting SET slug = ?, settings = ?, updated_at = ? WHERE namespace_id = ? AND settings = ?",
    ...[settings.slug, settings.settings, now, before.namespaceId, before.settings],
  );
  return changed === 1;
}

export function* disableHosting(tx: Tx, { namespaceId }: { readonly namespaceId: string }): Operation<void> {
  yield* tx.exec("DELETE FROM hosting WHERE namespace_id = ?", namespaceId);
}

function slugTaken(slug: string): KnowledgeBaseError {
  return new KnowledgeBaseError("conflict", `The hosting slug ${JSON.stringify(slug)} is already taken.`);
}
