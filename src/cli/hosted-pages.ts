import { KnowledgeBaseError } from "../errors.js";
import type { Hosting, KnowledgeBase } from "../index.js";

/** A hosted page, printed by `serve`. */
export interface HostedPageAddress {
  readonly url: string;
  readonly protected: boolean;
}

/**
 * Lists the hosted pages of the default organization, in the order of their namespaces.
 * @param serverUrl The base URL of the pages if the knowledge base has no public URL.
 */
export async function listHostedPages(kb: KnowledgeBase, serverUrl: string): Promise<readonly HostedPageAddress[]> {
  const pages: HostedPageAddress[] = [];
  for await (const { id } of kb.namespaces.iterate()) {
    const hosting = await findHosting(kb, id);
    if (!hosting) continue;
    const url = hosting.url.startsWith("/") ? `${serverUrl}${hosting.url}` : hosting.url;
    pages.push({ url, protected: hosting.protected });
  }
  return pages;
}

async function findHosting(kb: KnowledgeBase, namespaceId: string): Promise<Hosting | null> {
  try {
    return await kb.hosting.get(namespaceId);
  } catch (error) {
    if (KnowledgeBaseError.is(error, "not_found")) return null;
    throw error;
  }
}
