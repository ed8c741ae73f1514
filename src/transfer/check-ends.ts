import { KnowledgeBaseError } from "../errors.js";
import { currentProcess, findDeadProcesses } from "../ingest/process-registry.js";
import { Secrets } from "../secrets/secrets.js";
import type { TransferEnd, TransferEnds } from "./transfer-end.js";

/** A process without a heartbeat for this long no longer runs jobs. */
const SILENT_MS = 60_000;

/** @throws KnowledgeBaseError `conflict` if a process runs jobs of either knowledge base */
export async function refuseWorkers({ from, to }: TransferEnds): Promise<void> {
  await refuseWorkersOf(from, "source");
  await refuseWorkersOf(to, "target");
}

async function refuseWorkersOf({ storage, now }: TransferEnd, name: "source" | "target"): Promise<void> {
  const [recent, dead] = await Promise.all([
    storage.processes.list({ since: now() - SILENT_MS }),
    findDeadProcesses(storage, currentProcess()),
  ]);
  const running = recent.filter(({ id }) => !dead.includes(id));
  if (running.length === 0) return;
  const processes = running.map(({ pid, host }) => `${pid} on ${host.split(" ")[0]}`).join(", ");
  const message =
    `Processes run the jobs of the ${name}: ${processes}. Stop all processes that use it, then migrate. ` +
    "A process that was killed counts as running for a minute.";
  throw new KnowledgeBaseError("conflict", message);
}

/** @throws KnowledgeBaseError `not_ready` if a secret of the source can't be decrypted */
export async function requireKeys({ storage, masterKeys }: TransferEnd): Promise<void> {
  const secrets = new Secrets(masterKeys);
  const missing = (await storage.secrets.countByKey()).filter(({ keyId }) => !secrets.has(keyId));
  if (missing.length === 0) return;
  const ids = missing.map(({ keyId }) => keyId).join(", ");
  const message =
    `The source has secrets encrypted with master keys that are not available (${ids}). Add the keys to masterKey, or ` +
    "restore the secret.key file that had them.";
  throw new KnowledgeBaseError("not_ready", message);
}
