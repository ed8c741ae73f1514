import type { IngestCounts } from "lorebase";

const BAR = 30;

/** Redraws one line on a terminal; elsewhere prints a line for each finished document. */
export class IngestProgress {
  #shown = "";

  update({ documents, chunks }: IngestCounts): void {
    const done = documents.completed + documents.failed;
    const numbers = `${done} of ${documents.total} files, ${chunks} chunks`;
    if (numbers === this.#shown || (done === 0 && !process.stdout.isTTY)) return;
    this.#shown = numbers;
    const filled = Math.round((done / Math.max(1, documents.total)) * BAR);
    const bar = `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
    process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K  ${bar}  ${numbers}` : `  ${numbers}\n`);
  }

  end(): void {
    if (process.stdout.isTTY) process.stdout.write("\n");
  }
}
