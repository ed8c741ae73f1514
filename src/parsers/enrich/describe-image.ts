import type { Block } from "../../interfaces/block.js";
import type { ParseConfig } from "../../interfaces/parser.js";
import type { ModelSession } from "./model-session.js";

interface DescribeOptions {
  readonly session: ModelSession;
  readonly config: Pick<ParseConfig, "languageCode" | "disableOcrMath">;
  /** The text before the image; empty if there is none nearby. */
  readonly textBefore: string;
}

/** Matches the answer for an image without information: `NONE`, which may be followed by a remark. */
const NO_INFORMATION_PATTERN = /^["'*_\s]*NONE\b["'*_]*\s*(?:$|[.,:;()–—-])/;
const MAX_CONTEXT_CHARS = 400;

/** Asks the model for a caption of an image. Returns `null` if the image has no information or was not described. */
export async function describeImage(
  block: Block,
  { session, config, textBefore }: DescribeOptions,
): Promise<Block | null> {
  const answer = await session.ask(captionPrompt(block, config, textBefore), block.readImage!);
  if (answer === null || NO_INFORMATION_PATTERN.test(answer)) return null;
  const { headingPath, page, bbox } = block;
  return {
    kind: "caption",
    text: answer.replace(/\s+/g, " "),
    headingPath,
    ...(page !== undefined && { page }),
    ...(bbox !== undefined && { bbox }),
    origin: "model",
  };
}

function captionPrompt(
  { text, headingPath }: Block,
  { languageCode, disableOcrMath = false }: DescribeOptions["config"],
  textBefore: string,
): string {
  const lines = [
    "Describe this picture of a document in one paragraph of plain text, so that a search finds it: what it shows, " +
      "what it states where it is a chart or a diagram, and the names, labels and figures in it that a reader may " +
      "look for.",
    disableOcrMath ? "Leave formulas out." : "Write formulas as LaTeX between dollar signs.",
    'Begin with the matter itself, without "This picture". If it is decoration alone, answer NONE.',
    languageCode ? `Write in the language "${languageCode}".` : "Write in the document's language.",
  ];
  const context = [
    ["It stands under", headingPath.join(" > ").slice(-MAX_CONTEXT_CHARS)],
    ["Its author says of it", text.slice(0, MAX_CONTEXT_CHARS)],
    ["The text before it ends", textBefore.slice(-MAX_CONTEXT_CHARS)],
  ];
  for (const [label, quotation] of context) if (quotation) lines.push(`${label}: ${JSON.stringify(quotation)}`);
  return lines.join("\n");
}
