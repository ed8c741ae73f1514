import { PDFDocument, PDFName, PDFString } from "pdf-lib";

/**
 * A PDF whose only page asks the reader to wait: its content is a form in XFA, with a template and the data in it.
 *
 * @param fieldValue The value of a field on the page, as forms have that are laid out already. @default no field
 */
export async function makeXfaPdf(subform: string, data: string, fieldValue?: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const { context, catalog } = document;
  const page = document.addPage([595, 842]);
  page.drawText("Please wait...", { x: 50, y: 842 - 142 });
  if (fieldValue !== undefined) {
    const field = document.getForm().createTextField("name");
    field.setText(fieldValue);
    field.addToPage(page, { x: 200, y: 695 });
  }
  const pageSet =
    '<pageSet><pageArea><contentArea x="10mm" y="10mm" w="190mm" h="277mm"/><medium short="210mm" long="297mm"/></pageArea></pageSet>';
  const parts = [
    ["preamble", '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">'],
    ["config", '<config xmlns="http://www.xfa.org/schema/xci/3.0/"><present><pdf/></present></config>'],
    [
      "template",
      `<template xmlns="http://www.xfa.org/schema/xfa-template/3.0/"><subform name="form1" layout="tb">${pageSet}${subform}</subform></template>`,
    ],
    [
      "datasets",
      `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form1>${data}</form1></xfa:data></xfa:datasets>`,
    ],
    ["postamble", "</xdp:xdp>"],
  ] as const;
  const streams = parts.flatMap(([name, xml]) => [PDFString.of(name), context.register(context.stream(xml))]);
  const form = catalog.getOrCreateAcroForm().dict;
  form.set(PDFName.of("XFA"), context.obj(streams));
  if (form.get(PDFName.of("DR")) === undefined) form.set(PDFName.of("DR"), context.obj({ Font: {} }));
  catalog.set(PDFName.of("NeedsRendering"), context.obj(true));
  return document.save({ useObjectStreams: false, updateFieldAppearances: false });
}
