import { expect, it } from "vitest";
import { MAX_MEMORY_MB, measureWorstFile } from "./worst-file-campaign.js";
import { WORST_FILES } from "./worst-file-list.js";

/** What becomes of two files whose parsing is bounded; `npm run campaign:worst-files` tries all of them. */
it.runIf(process.platform === "linux").each([
  ["brackets-10.json", /^"brackets-10.json" is nested deeper than the 200 levels allowed\.$/],
  [
    "shapes.pptx",
    /^Parsing (?:needed more memory than the 512 MB allowed|took longer than 30 seconds) and was stopped\.$/,
  ],
])(
  "%s takes no more than 512 MB of server and processes, and a text beside it is ingested",
  async (name, expected) => {
    const file = WORST_FILES.find((file) => file.name === name)!;
    const { outcome, peakMb, beside } = await measureWorstFile(file);
    expect(outcome).toMatch(expected);
    expect(peakMb).toBeLessThan(MAX_MEMORY_MB);
    expect(beside).toBe("COMPLETED");
  },
  120_000,
);
