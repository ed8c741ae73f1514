import { indexedVectors } from "../providers/vectors.js";
import { rotateKeys } from "../resources/rotate-keys.js";
import { Secrets } from "../secrets/secrets.js";
import type { CallOptions } from "../types.js";
import { refuseWorkers, requireKeys } from "./check-ends.js";
import { type ComparedFiles, compareFiles } from "./compare-files.js";
import { type ComparedTable, compareRecords, compareSecrets } from "./compare-records.js";
import { compareSearches, SAMPLE_SIZE } from "./compare-searches.js";
import { copyFiles } from "./copy-files.js";
import { buildIndex, copyRecords } from "./copy-records.js";
import { type MigrationPhase, type MigrationProgress, PhaseProgress } from "./progress.js";
import type { TransferEnds } from "./transfer-end.js";

/** What a migration has copied, and compared in both knowledge bases. */
export interface MigrationSummary {
  readonly tables: readonly ComparedTable[];
  /** The number of rows of all tables. */
  readonly rows: number;
  readonly files: ComparedFiles;
  /** The number of secrets, which are encrypted with the target's master key. */
  readonly secrets: number;
  /** Vector stores other than the database, with the number of namespaces whose vectors are there: they are not copied. */
  readonly vectorStores: readonly { readonly provider: string; readonly namespaces: number }[];
  /** The number of searches that had the same hits. */
  readonly searches: number;
  /** Whether an earlier call had begun the migration. */
  readonly resumed: boolean;
}

export interface MigrateOptions extends CallOptions {
  /** Called after each batch of rows, files or steps. */
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined;
}

/**
 * Copies everything into an empty target, or continues an earlier copy, and compares both. The source isn't changed.
 * Nothing else can open the target before the end.
 */
export async function transfer(
  ends: TransferEnds,
  { signal, onProgress = () => {} }: MigrateOptions = {},
): Promise<MigrationSummary> {
  const { from, to } = ends;
  const start = (phase: MigrationPhase, total: number | null) => {
    signal?.throwIfAborted();
    return { signal, progress: new PhaseProgress(onProgress, phase, total) };
  };
  await refuseWorkers(ends);
  await requireKeys(from);
  const { rows: rowCounts, fingerprint } = await from.storage.transfer.survey();
  const positions = await to.storage.transfer.begin({ fingerprint });
  const rows = [...rowCounts.values()].reduce((sum, count) => sum + count, 0);
  const files = await from.storage.transfer.countFiles();

  await copyRecords(ends, positions, start("records", rows));
  await encryptAnew(ends, start("secrets", null));
  await copyFiles(ends, positions, start("files", files));
  await buildIndex(ends, positions, start("index", null));

  const tables = await compareRecords(ends, start("compare records", rows));
  const secrets = await compareSecrets(ends, { signal });
  const compared = await compareFiles(ends, start("compare files", files));
  const searches = await compareSearches(ends, start("compare searches", SAMPLE_SIZE));
  await refuseWorkers(ends);
  const stores = await from.storage.namespaces.countByVectorStore();
  const vectorStores = stores.filter(({ provider }) => provider !== indexedVectors.provider);
  await to.storage.transfer.complete();
  return { tables, rows, files: compared, secrets, vectorStores, searches, resumed: positions.size > 0 };
}

/** Encrypts the copied secrets with the target's master key. */
async function encryptAnew(
  { from, to }: TransferEnds,
  { signal, progress }: CallOptions & { readonly progress: PhaseProgress },
): Promise<void> {
  const secrets = new Secrets([...to.masterKeys, ...from.masterKeys]);
  const { resealed } = await rotateKeys({ storage: to.storage, secrets }, { signal });
  progress.add(resealed);
}
