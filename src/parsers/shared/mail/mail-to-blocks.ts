import type { ParsedDocument, ParseOptions } from "../../../interfaces/parser.js";
import type { Metadata } from "../../../types.js";
import { addEmbedded } from "../archive/embedded.js";
import { BlockList } from "../blocks/block-list.js";
import { htmlToBlocks } from "../html/html-to-blocks.js";
import { parseHtml } from "../html/html-tree.js";
import { type ImageOptions, imageDetails, imageOptions } from "../html/image-options.js";
import { findMissingParagraphs, textParagraphs } from "./body.js";
import type { Mail, MailAttachment } from "./mail.js";

/** Matches the types of signatures and keys, which have no readable content. */
const SIGNATURE_TYPE_PATTERN = /^application\/(?:x-)?(?:pkcs7-signature|pgp-signature|pgp-keys|ms-tnef-signature)$/i;

/**
 * Adds a message: its subject as a heading, its header as one block, its text, and each attachment that a parser
 * supports, under a heading with the attachment's name.
 *
 * @returns Warnings about content that was not read.
 */
export async function mailToBlocks(list: BlockList, mail: Mail, options: ParseOptions): Promise<string[]> {
  const warnings: string[] = [];
  const images = imageOptions(options);
  const attachments = mail.attachments.filter(
    ({ mimeType }) => mimeType === null || !SIGNATURE_TYPE_PATTERN.test(mimeType),
  );
  if (mail.subject !== null) list.heading(1, mail.subject);
  list.add("paragraph", headerLines(mail, attachments).join("\n"));
  if (mail.rtf === undefined) addBody(list, mail, images);
  else
    await addEmbedded({ name: null, mimeType: "application/rtf", bytes: mail.rtf }, options, {
      list,
      level: 1,
      warnings,
    });
  for (const { name, mimeType, bytes, isInline } of attachments) {
    options.signal?.throwIfAborted();
    if (isInline && mimeType?.startsWith("image/")) {
      if (images.addsImages) list.add("image", name ?? "", imageDetails(images.findImage && (() => bytes)));
    } else await addEmbedded({ name, mimeType, bytes }, options, { list, level: 2, warnings });
  }
  return warnings;
}

/** Converts a single message to a document. */
export async function mailDocument(mail: Mail, mimeType: string, options: ParseOptions): Promise<ParsedDocument> {
  const list = new BlockList();
  const warnings = await mailToBlocks(list, mail, options);
  return { blocks: list.blocks, title: mail.subject, mimeType, pages: null, metadata: mailMetadata(mail), warnings };
}

function headerLines(mail: Mail, attachments: readonly MailAttachment[]): string[] {
  const names = attachments.flatMap(({ name, isInline }) => (name === null || isInline ? [] : [name]));
  const fields: readonly (readonly [label: string, value: string])[] = [
    ["From", mail.from ?? ""],
    ["To", mail.to.join(", ")],
    ["Cc", mail.cc.join(", ")],
    ["Bcc", mail.bcc.join(", ")],
    ["Date", mail.date ?? ""],
    ["Attachments", names.join(", ")],
  ];
  return fields.flatMap(([label, value]) => (value === "" ? [] : [`${label}: ${value}`]));
}

function addBody(list: BlockList, mail: Mail, options: ImageOptions): void {
  if (mail.html === null) {
    for (const paragraph of textParagraphs(mail.text ?? "")) list.addMarkdown("paragraph", paragraph);
    return;
  }
  const html = new BlockList();
  htmlToBlocks(html, parseHtml(mail.html), options);
  const { before, after } = findMissingParagraphs(mail.text ?? "", html);
  for (const paragraph of before) list.addMarkdown("paragraph", paragraph);
  list.append(html.blocks, 2);
  for (const paragraph of after) list.addMarkdown("paragraph", paragraph);
}

function mailMetadata(mail: Mail): Metadata {
  const date = mail.date === null ? Number.NaN : Date.parse(mail.date);
  return {
    ...(mail.from === null ? {} : { from: mail.from }),
    ...(mail.to.length === 0 ? {} : { to: [...mail.to] }),
    ...(mail.cc.length === 0 ? {} : { cc: [...mail.cc] }),
    ...(Number.isNaN(date) ? {} : { date: new Date(date).toISOString() }),
    ...(mail.messageId === null ? {} : { messageId: mail.messageId }),
  };
}
