import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { RpcThread } from "../rpc/rpc-thread.js";
import { type Access, ownerOf } from "../storage/records/access.js";
import type { CallOptions } from "../types.js";
import { Semaphore } from "../util/semaphore.js";
import type { HEALTH_CHECKS } from "../validation/health-schema.js";
import { Budget } from "./budget.js";
import type { ComparisonOperations } from "./comparison-thread.js";
import { findNearDuplicates } from "./find-near-duplicates.js";
import { questionPassages } from "./question-passages.js";
import { signPassages } from "./sign-passages.js";

/** Lets an engine make one check at a time: each has a thread of its own. */
const turns = new WeakMap<Engine, Semaphore>();

export type HealthCheck = (typeof HEALTH_CHECKS)[number];

/**
 * Checks the published passages that were not checked yet: compares them with all others, and searches for them. Returns
 * whether all are checked. What is done before the time is over, which waiting for another check uses up too, stays done.
 */
export async function checkPassages(engine: Engine, access: Access, options: CheckOptions): Promise<boolean> {
  if (engine.options.readOnly) return false;
  const budget = new Budget(options.ms, options.signal);
  const turn = turns.get(engine) ?? new Semaphore(1);
  turns.set(engine, turn);
  const release = await acquireInTime(turn, options);
  if (!release) return false;
  try {
    return await check(engine, access, options.checks, budget);
  } finally {
    release();
  }
}

/** Waits for a turn until the time is over, and returns `null` then. @throws the reason of the caller's signal */
async function acquireInTime(turn: Semaphore, { ms, signal }: CheckOptions): Promise<(() => void) | null> {
  const timeout = AbortSignal.timeout(Math.ceil(ms));
  try {
    return await turn.acquire({ signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  } catch (error) {
    if (error !== timeout.reason) throw error;
    return null;
  }
}

interface CheckOptions extends CallOptions {
  readonly checks: readonly HealthCheck[];
  readonly ms: number;
}

async function check(engine: Engine, access: Access, checks: readonly HealthCheck[], budget: Budget): Promise<boolean> {
  const owner = ownerOf(access);
  const thread = startThread();
  try {
    if (!(await signPassages(engine, owner, thread, budget))) return false;
    const scopes = await engine.storage.health.listScopes(owner);
    const isChecked = (check: HealthCheck) => checks.includes(check);
    for (const { id } of isChecked("near-duplicates") ? scopes : [])
      if (!(await findNearDuplicates(engine, id, thread, budget))) return false;
    for (const { id, tenantId } of isChecked("unfindable-passages") ? scopes : []) {
      const { organizationId, namespaceId, namespace } = access;
      const { embeddingConfig, vectorSet, vectorStoreConfig } = namespace;
      const target = {
        scope: { organizationId, namespaceId, tenantId, principals: null },
        embeddingConfig,
        vectorSet,
        vectorStoreConfig,
      };
      if (!(await questionPassages(engine, id, target, budget))) return false;
    }
    return true;
  } finally {
    await thread.terminate(new Error("The check has ended."));
  }
}

function startThread(): RpcThread<ComparisonOperations> {
  return new RpcThread<ComparisonOperations>({
    entry: new URL("./comparison-thread.js", import.meta.url),
    name: "lorebase comparison",
    toError: (cause) =>
      new KnowledgeBaseError("internal", "The thread that compares passages ended.", { cause, retryable: true }),
  });
}
