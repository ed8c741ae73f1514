import { PDFDocument, PDFName, PDFString } from "pdf-lib";

/** A text on a page of 420 by 595 points. `y` is measured from the top, to the baseline or the top of a vertical line. */
export interface JapaneseText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  /**
   * How lines that run downwards are written: with a vertical font, or as a browser prints them, one character at a time.
   * @default from left to right
   */
  readonly vertical?: "font" | "stacked";
}

/** A PDF in a Japanese font that is not embedded. Full-width characters are as wide as the font size, others half as wide. */
export async function makeJapanesePdf(pages: readonly (readonly JapaneseText[])[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { context } = document;
  const font = (writing: "H" | "V") =>
    context.register(
      context.obj({
        Type: "Font",
        Subtype: "Type0",
        BaseFont: "HeiseiMin-W3",
        Encoding: `UniJIS-UTF16-${writing}`,
        DescendantFonts: [
          context.obj({
            Type: "Font",
            Subtype: "CIDFontType0",
            BaseFont: "HeiseiMin-W3",
            CIDSystemInfo: { Registry: PDFString.of("Adobe"), Ordering: PDFString.of("Japan1"), Supplement: 2 },
            FontDescriptor: { Type: "FontDescriptor", FontName: "HeiseiMin-W3", Flags: 4, Ascent: 880, Descent: -120 },
            DW: 1000,
            W: [1, 632, 500],
          }),
        ],
      }),
    );
  const fonts = context.obj({ H: font("H"), V: font("V") });
  for (const texts of pages) {
    const page = document.addPage([420, 595]);
    page.node.set(PDFName.of("Resources"), context.obj({ Font: fonts }));
    page.node.set(PDFName.of("Contents"), context.register(context.stream(`BT ${texts.map(operators).join("\n")} ET`)));
  }
  return document.save({ useObjectStreams: false });
}

function operators({ text, x, y, size = 10, vertical }: JapaneseText): string {
  const show = (shown: string, left: number, bottom: number) =>
    `/${vertical === "font" ? "V" : "H"} ${size} Tf 1 0 0 1 ${left} ${bottom} Tm <${hexOf(shown)}> Tj`;
  if (vertical !== "stacked") return show(text, x, 595 - y);
  // Digits are side by side.
  const cells = text.match(/\d+|./gu) ?? [];
  return cells.map((cell, i) => (cell === "　" ? "" : show(cell, x, 595 - y - size * (i + 0.88)))).join("\n");
}

function hexOf(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("hex");
}
