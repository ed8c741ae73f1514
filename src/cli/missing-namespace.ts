import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase } from "../index.js";
import { collect } from "../util/collect.js";

/** The maximum number of namespaces that an error lists. */
const MAX_LISTED = 10;

/** Does work in a namespace. If the namespace doesn't exist, the error names `--namespace` and the existing ones. */
export async function namingOthers<T>(kb: KnowledgeBase, ref: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!KnowledgeBaseError.is(cause, "not_found") || (await exists(kb, ref))) throw cause;
    const slugs = (await collect(kb.namespaces.iterate({ order: "asc" }))).map(({ slug }) => slug);
    throw new KnowledgeBaseError("not_found", `There is no namespace ${JSON.stringify(ref)}. ${adviceFor(slugs)}`, {
      cause,
    });
  }
}

async function exists(kb: KnowledgeBase, ref: string): Promise<boolean> {
  try {
    await kb.namespaces.get(ref);
    return true;
  } catch (error) {
    if (KnowledgeBaseError.is(error, "not_found")) return false;
    throw error;
  }
}

function adviceFor(slugs: readonly string[]): string {
  if (slugs.length === 0) return "There are no namespaces yet: lorebase ingest creates one.";
  const rest = slugs.length - MAX_LISTED;
  const listed = [...slugs.slice(0, MAX_LISTED), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  return `Choose one with -n or --namespace: ${listed}.`;
}
