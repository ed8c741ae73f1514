import { expect, test } from "vitest";
import type { SourceFile } from "../../src/interfaces/parser.js";
import { documentCampaign } from "../campaigns/document-campaign.js";
import { openResources } from "../campaigns/open-resources.js";
import { makeDocx, makePdf, pdfLines, sourceFile, wordParagraph } from "../support/make-files.js";

/** What stays open, without the timers of whatever runs the tests. */
async function open() {
  const { descriptors, active } = await openResources();
  return { descriptors, active: active.filter((kind) => kind !== "Timeout" && kind !== "Immediate") };
}

test("parsing leaves no open file, pipe or process", async () => {
  const files: readonly SourceFile[] = [
    sourceFile("a.txt", "Some text."),
    sourceFile("a.pdf", await makePdf([pdfLines(["A page of text,", "in two lines."], 50, 60)])),
    sourceFile("a.docx", makeDocx(wordParagraph("Some text."))),
    sourceFile("a.eml", "Subject: Plan\n\nSome text.\n"),
  ];
  // Whatever is loaded once for all is loaded by these.
  await documentCampaign({ files, stops: [4] });
  const before = await open();
  const during: (number | null)[] = [];
  const onDocuments = async () => {
    during.push((await open()).descriptors);
  };
  expect(await documentCampaign({ files, stops: [24], onDocuments })).toBe(24);
  // Node closes the handle of a process that has ended in its own time: there may be fewer than before, but never more.
  await expect
    .poll(async () => {
      const after = await open();
      const leaked = Math.max(0, (after.descriptors ?? 0) - (before.descriptors ?? 0));
      return { leaked, more: kindsBeyond(after.active, before.active) };
    })
    .toEqual({ leaked: 0, more: [] });
  // Threads and processes that are still there can be seen.
  if (before.descriptors !== null) expect(during[0]).toBeGreaterThan(before.descriptors);
});

/** What is in a list more often than in another. */
function kindsBeyond(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((kind) => {
    const at = left.indexOf(kind);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
