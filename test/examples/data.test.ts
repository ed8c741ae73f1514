import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

it("the committed PDF and Word document are what their maker writes", () => {
  const folder = mkdtempSync(join(tmpdir(), "lorebase-data-"));
  try {
    execFileSync(process.execPath, ["--import", "tsx", "examples/make-data.ts", folder]);
    for (const name of ["volunteer-handbook.pdf", "visitor-guide.docx"])
      expect(readFileSync(join(folder, name)).equals(readFileSync(`examples/data/${name}`)), name).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
