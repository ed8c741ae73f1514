import type { Block } from "../../interfaces/block.js";
import type { ParseConfig } from "../../interfaces/parser.js";
import type { Interview } from "./interview.js";

interface DescribeOptions {
  readonly interview: Interview;
  readonly config: Pick<ParseConfig, "languageCode" | "disableOcrMath">;
  /** What stands above the picture. */
  readonly before: string;
}

/** What a model answers for pictures that say nothing. */
const NOTHING = "NONE";
const MAX_CONTEXT = 400;

/** A picture in words, as a caption that stands after it; null where it says nothing or could not be described. */
export async function describePicture(
  block: Block,
  { interview, config, before }: DescribeOptions,
): Promise<Block | null> {
  const picture = await interview.show(block.picture!);
  const answer = picture && (await interview.ask(question(block, config, before), picture));
  const text = answer?.replace(/\s+/g, " ").trim() ?? "";
  if (text === "" || text.replace(/\W/g, "").toUpperCase() === NOTHING) return null;
  const { headingPath, page, bbox } = block;
  return {
    kind: "caption",
    text,
    headingPath,
    ...(page !== undefined && { page }),
    ...(bbox !== undefined && { bbox }),
    origin: "model",
  };
}

function question(
  { text, headingPath }: Block,
  { languageCode, disableOcrMath = false }: DescribeOptions["config"],
  before: string,
): string {
  const lines = [
    "Describe this picture of a document in one paragraph of plain text, so that a search finds it: what it shows, what it states where it is a chart or a diagram, and the names, labels and figures in it that a reader may look for.",
    disableOcrMath ? "Leave formulas out." : "Write formulas as LaTeX between dollar signs.",
    `Begin with the matter itself, without "This picture". If it is decoration alone, answer ${NOTHING}.`,
    languageCode ? `Write in the language "${languageCode}".` : "Write in the document's language.",
  ];
  if (headingPath.length > 0) lines.push(`It stands under: ${headingPath.join(" > ")}`);
  if (text !== "") lines.push(`Its author says of it: ${text.slice(0, MAX_CONTEXT)}`);
  if (before !== "") lines.push(`The text before it ends: ${before.slice(-MAX_CONTEXT)}`);
  return lines.join("\n");
}
