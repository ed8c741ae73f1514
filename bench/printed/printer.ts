import type { PrintedDocument, PrinterAbilities } from "./documents.js";

/** A program that makes PDFs. */
export interface Printer extends PrinterAbilities {
  readonly name: string;
  isInstalled(): boolean;
  /** Writes `<name>.pdf` of each document into a folder. */
  print(documents: readonly PrintedDocument[], folder: string): Promise<void>;
}
