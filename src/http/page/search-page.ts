import type { SearchOptions } from "../../index.js";
import { MAX_QUERY_LENGTH } from "../../validation/query-length.js";
import { mediaTypesOf } from "../ui-message-stream/media-types.js";
import type { WirePassage } from "../ui-message-stream/ui-message-chunk.js";
import { type PassageView, toWirePassage } from "../ui-message-stream/wire-passage.js";
import { PageError } from "./page-error.js";
import type { ResolvedPageOptions } from "./page-options.js";
import type { Visit } from "./visit.js";

/** What visitors see of a passage. */
export function viewOf({ settings, namespace }: Visit, { metadata }: ResolvedPageOptions): PassageView {
  const mediaTypeOf = mediaTypesOf(namespace);
  return { titlePath: settings.citationMetadataPath, metadataKeys: metadata, mediaTypeOf };
}

/** The passages that a visitor's query finds; none for an empty query. */
export async function searchPage(
  visit: Visit,
  query: string,
  options: ResolvedPageOptions,
): Promise<readonly WirePassage[]> {
  const text = query.trim();
  if (text === "") return [];
  if (text.length > MAX_QUERY_LENGTH) throw new PageError("invalid_request", { text: "query_too_long" });
  const { namespace, call } = visit;
  const search = { ...(await searchOptions(visit)), includeHighlights: true, signal: call.signal };
  const hits = await namespace.search(text, search);
  const view = viewOf(visit, options);
  return Promise.all(hits.map((hit) => toWirePassage(hit, view)));
}

type PageSearchOptions = Pick<SearchOptions, "topK" | "rerank" | "rerankModel" | "rerankLimit">;

/** Those of the page's settings. A reranker that isn't configured is reported and left out. */
export async function searchOptions({ settings, call }: Visit): Promise<PageSearchOptions> {
  const { topK, rerankConfig } = settings;
  const { model, limit: rerankLimit } = rerankConfig;
  const rerankModel = await call.kb.findReranker(model ?? undefined);
  if (rerankModel !== null) return { topK, rerankModel, rerankLimit };
  if (model !== null)
    call.onError(new Error(`The page's settings name the reranker ${JSON.stringify(model)}, which isn't configured.`));
  return { topK, rerank: false };
}
