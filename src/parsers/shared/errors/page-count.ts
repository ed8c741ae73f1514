import { PARSE_LIMITS } from "../../limits.js";
import { fileOverLimit } from "./file-errors.js";

/** @throws `limit_exceeded` if a file has too many pages. */
export function assertPageCount(fileName: string | null, count: number, unit: "pages" | "sheets" | "slides"): void {
  const { maxPages } = PARSE_LIMITS;
  if (count > maxPages) throw fileOverLimit(fileName, `has ${count} ${unit}, more than the ${maxPages} allowed.`);
}
