import type { KnowledgeBase, NamespaceHandle } from "../index.js";
import type { Invocation } from "./command.js";
import { existingDirectoryOf } from "./flag-values.js";
import { createProgress } from "./progress.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

/** What a command prints where it leaves work to a process that runs jobs. */
export const REMOVED_LATER = "its data is removed by the next process that runs jobs, such as lorebase serve";

/** Opens an existing knowledge base without running its jobs: they are left to a server that may have it open too. */
export function withExisting<T>({ flags, terminal }: Invocation, work: (kb: KnowledgeBase) => Promise<T>): Promise<T> {
  const options = { directory: existingDirectoryOf(flags, terminal), worker: false } as const;
  return withKnowledgeBase(options, terminal, createProgress(terminal), work);
}

/** As {@link withExisting}, for the namespace and tenant that the options name. */
export function withNamespace<T>(
  invocation: Invocation,
  work: (handle: NamespaceHandle, slug: string) => Promise<T>,
): Promise<T> {
  const { namespace = "default", tenant } = invocation.flags;
  return withExisting(invocation, async (kb) => {
    const { id, slug } = await kb.namespaces.get(namespace);
    const whole = kb.namespace(id);
    return work(tenant === undefined ? whole : whole.tenant(tenant), slug);
  });
}
