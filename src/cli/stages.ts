import type { HitExplanation } from "../index.js";

/** Where each stage of a search put a passage, in one line. */
export function stagesOf({ keyword, semantic, fusion, rerank }: HitExplanation): string {
  const stages = [
    keyword &&
      `words ${place(keyword)}, BM25 ${keyword.bm25.toFixed(2)} of ${keyword.ceiling.toFixed(2)}${lacking(keyword)}`,
    semantic && `meaning ${place(semantic)}, cosine ${semantic.similarity.toFixed(3)}`,
    fusion && `both (${fusion.method}) ${place(fusion)}`,
    rerank &&
      `${rerank.model} ${rerank.score === null ? "not judged" : place({ rank: rerank.rank, score: rerank.score })}`,
  ];
  return stages.filter((stage) => stage !== undefined).join(" · ");
}

function place({ rank, score }: { readonly rank: number; readonly score: number }): string {
  return `#${rank} ${score.toFixed(3)}`;
}

function lacking({ termsMissing }: { readonly termsMissing: readonly string[] }): string {
  return termsMissing.length === 0 ? "" : `, without ${termsMissing.join(" ")}`;
}
