import type { ProcedureName } from "./procedures.js";

/** The procedures that free space, or that a process needs to run those and to return its work to the queue. */
const FREEING = new Set<ProcedureName>([
  "organizations.delete",
  "organizations.foldUsage",
  "namespaces.delete",
  "namespaces.deleteTenant",
  "namespaces.remove",
  "jobs.cancel",
  "jobs.delete",
  "jobs.finish",
  "jobs.remove",
  "documents.delete",
  "documents.startDeleting",
  "documents.purgeChunks",
  "documents.remove",
  "documents.fail",
  "documents.markDamaged",
  "documents.abandonVectors",
  "documents.recordVectorRemoval",
  "uploads.release",
  "uploads.retire",
  "uploads.remove",
  "crawl.removePages",
  "crawl.removeOrphans",
  "feedback.delete",
  "feedback.purge",
  "hosting.disable",
  "apiKeys.revoke",
  "apiKeys.recordUse",
  "tasks.claim",
  "tasks.release",
  "tasks.complete",
  "tasks.reclaim",
  "processes.recordHeartbeat",
  "processes.forget",
  "index.removeVectors",
  "index.reindex",
  "index.repairScope",
]);

export function isFreeing(name: ProcedureName): boolean {
  return FREEING.has(name);
}
