import type { PageAnswer } from "./fetch-page.js";
import type { FrontierPage } from "./frontier.js";

/** Larger ones are asked for again. */
const MAX_BYTES = 1024 * 1024;

/** Answers that a pause came before: to ask again would be in vain, and never end where pauses are shorter than the pace. */
export class KeptAnswers {
  readonly #answers = new Map<string, PageAnswer>();

  /** What is held of pages. */
  get bytes(): number {
    return [...this.#answers.values()].reduce((sum, answer) => sum + bytesOf(answer), 0);
  }

  /** @param isNext Whether it is the next to be settled. It may wait for something else of the site, so it is kept whatever its size. */
  put({ key }: FrontierPage, answer: PageAnswer, isNext: boolean): void {
    if (isNext || bytesOf(answer) <= MAX_BYTES) this.#answers.set(key, answer);
  }

  take({ key, known }: FrontierPage): PageAnswer | undefined {
    const answer = this.#answers.get(key);
    this.#answers.delete(key);
    // Its document may have been deleted since.
    return answer?.kind === "unchanged" && known === null ? undefined : answer;
  }
}

function bytesOf(answer: PageAnswer): number {
  return answer.kind === "page" || answer.kind === "file" ? answer.page.bytes.length : 0;
}
