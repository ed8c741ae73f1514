import { KnowledgeBaseError } from "../errors.js";
import { Secrets } from "../secrets/secrets.js";
import type { SealedByOtherKey } from "../storage/records/sealed-values.js";
import type { SqlValue } from "../storage/sql-value.js";
import { RowDigest } from "../storage/transfer/row-digest.js";
import { COUNTED_TABLES, TRANSFER_TABLES } from "../storage/transfer/tables.js";
import type { CallOptions } from "../types.js";
import type { PhaseProgress } from "./progress.js";
import type { TransferEnd, TransferEnds } from "./transfer-end.js";

/** A table that is equal in both knowledge bases. */
export interface ComparedTable {
  readonly name: string;
  readonly rows: number;
  /** The digest of the rows, in hex. It doesn't depend on their order. */
  readonly digest: string;
}

/**
 * Compares the rows of all tables.
 * @throws KnowledgeBaseError `conflict` if a table differs
 */
export async function compareRecords(
  { from, to }: TransferEnds,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<readonly ComparedTable[]> {
  const compared: ComparedTable[] = [];
  for (const { name } of [...TRANSFER_TABLES, ...COUNTED_TABLES]) {
    const [source, target] = await Promise.all([
      digestOf(from, name, { signal, progress }),
      digestOf(to, name, { signal, progress: null }),
    ]);
    if (`${source}` !== `${target}` || source.rows !== target.rows) throw differenceError(name, source, target);
    compared.push({ name, rows: source.rows, digest: `${source}` });
  }
  return compared;
}

async function digestOf(
  { storage }: TransferEnd,
  table: string,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress | null },
): Promise<RowDigest> {
  const digest = new RowDigest();
  let after: readonly SqlValue[] | null = null;
  do {
    signal?.throwIfAborted();
    const part: Awaited<ReturnType<typeof storage.transfer.digestRows>> = await storage.transfer.digestRows({
      table,
      after,
    });
    digest.add(part);
    progress?.add(part.rows);
    after = part.last;
  } while (after);
  return digest;
}

function differenceError(table: string, source: RowDigest, target: RowDigest): KnowledgeBaseError {
  const message =
    `The table ${table} differs: ${source.rows} rows with the digest ${source} in the source, ${target.rows} with ` +
    `${target} in the target. The source may have changed since the migration began: stop all processes that use it, ` +
    "empty the target, and start again.";
  return new KnowledgeBaseError("conflict", message);
}

const SECRETS_PER_PAGE = 100;

/**
 * Compares the decrypted secrets. Returns their number.
 * @throws KnowledgeBaseError `conflict` if a secret differs
 */
export async function compareSecrets({ from, to }: TransferEnds, { signal }: CallOptions): Promise<number> {
  const [source, target] = [new Secrets(from.masterKeys), new Secrets(to.masterKeys)];
  let count = 0;
  let after = { namespaceId: "", ownerId: "", field: "" };
  for (;;) {
    signal?.throwIfAborted();
    const page = { keyId: "", after, limit: SECRETS_PER_PAGE };
    const [sources, targets] = (await Promise.all(
      [from, to].map(({ storage }) => storage.secrets.listByOtherKeys(page)),
    )) as [readonly SealedByOtherKey[], readonly SealedByOtherKey[]];
    for (const [index, { sealed, ...context }] of sources.entries()) {
      const copy = targets[index];
      if (copy && source.unseal(sealed, context) === target.unseal(copy.sealed, context)) continue;
      throw new KnowledgeBaseError(
        "conflict",
        `The secret ${context.field} of ${context.ownerId} differs in the target.`,
      );
    }
    count += sources.length;
    const last = sources.at(-1);
    if (!last) return count;
    after = last;
  }
}
