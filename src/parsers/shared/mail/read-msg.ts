import type { FieldsData } from "@kenjiuno/msgreader";
import { KnowledgeBaseError } from "../../../errors.js";
import { CompoundFile } from "../archive/compound-file.js";
import { readText } from "../charset/read-text.js";
import { invalidFile } from "../errors/file-errors.js";
import { decompressRtf } from "./compressed-rtf.js";
import { formatMailbox, type Mail, type MailAttachment } from "./mail.js";

/** The `TextDecoder` labels of Windows code pages. */
const CODE_PAGE_LABELS: Readonly<Record<number, string>> = {
  874: "windows-874",
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  20127: "windows-1252",
  20866: "koi8-r",
  28591: "windows-1252",
  28592: "iso-8859-2",
  50220: "iso-2022-jp",
  51932: "euc-jp",
  54936: "gb18030",
  65001: "utf-8",
};

/**
 * Reads a message saved by Outlook.
 * @throws `invalid_input` if the message is damaged or encrypted.
 */
export async function readMsg(name: string | null, bytes: Uint8Array): Promise<Mail> {
  // The library follows circular sector chains forever.
  if (new CompoundFile(name, bytes).hasCircularChains) throw invalidFile(name, "is a damaged compound file.");
  const { default: library } = await import("@kenjiuno/msgreader");
  const { default: MsgReader } = library as unknown as typeof import("@kenjiuno/msgreader");
  try {
    const firstFields = new MsgReader(viewOfCopy(bytes)).getFileData();
    const reader = new MsgReader(viewOfCopy(bytes));
    const parserConfig = { ansiEncoding: await charsetOf(firstFields) };
    const fields = Object.assign(reader, { parserConfig }).getFileData();
    if (fields.error !== undefined) throw new Error(fields.error);
    const text = fields.body?.trim() ? fields.body : null;
    const html = await htmlOf(fields);
    if (/smime$/i.test(fields.messageClass ?? "")) throw invalidFile(name, "is encrypted (S/MIME).");
    return {
      subject: fields.subject?.trim() || null,
      from: senderOf(fields),
      to: recipientsOf(fields, "to"),
      cc: recipientsOf(fields, "cc"),
      bcc: recipientsOf(fields, "bcc"),
      date: dateOf(fields),
      messageId: fields.messageId ?? null,
      text,
      html,
      ...(text === null && html === null && fields.compressedRtf ? { rtf: decompressRtf(fields.compressedRtf) } : {}),
      attachments: (fields.attachments ?? [])
        .filter((attachment) => attachment.attachmentHidden !== true || attachment.pidContentId !== undefined)
        .map((attachment) => attachmentOf(attachment, reader.getAttachment(attachment))),
    };
  } catch (error) {
    if (KnowledgeBaseError.is(error)) throw error;
    throw invalidFile(name, "cannot be read as an Outlook message: its structure is damaged.", error);
  }
}

function viewOfCopy(bytes: Uint8Array): DataView {
  return new DataView(bytes.slice().buffer);
}

function declaredCharset(fields: FieldsData): string | null {
  const codePage = fields.messageCodepage ?? fields.internetCodepage;
  return codePage === undefined ? null : (CODE_PAGE_LABELS[codePage] ?? `windows-${codePage}`);
}

/** Detects the charset of texts that are not Unicode, since the declared charset may be wrong. */
async function charsetOf(fields: FieldsData): Promise<string> {
  const texts = [fields.subject, fields.senderName, fields.body].join("\n").replace(/[^\0-\xff]/g, "");
  return (await readText(Buffer.from(texts, "latin1"), declaredCharset(fields))).charset;
}

async function htmlOf(fields: FieldsData): Promise<string | null> {
  const html =
    fields.html === undefined || fields.html.length === 0
      ? fields.bodyHtml
      : (await readText(fields.html, CODE_PAGE_LABELS[fields.internetCodepage ?? 0] ?? null)).text;
  return html?.trim() ? html : null;
}

function dateOf(fields: FieldsData): string | null {
  const header = /^Date:[ \t]*(\S.*)$/im.exec(fields.headers ?? "")?.[1]?.trim();
  return header ?? fields.clientSubmitTime ?? fields.messageDeliveryTime ?? null;
}

/** Returns the first e-mail address; skips X.500 addresses of an organization, which mean nothing to a reader. */
function addressOf(...candidates: readonly (string | undefined)[]): string | undefined {
  return candidates.find((address) => address?.includes("@") === true);
}

function senderOf(fields: FieldsData): string | null {
  const address = addressOf(fields.senderSmtpAddress, fields.senderEmail, fields.sentRepresentingSmtpAddress);
  return formatMailbox(fields.senderName, address) || null;
}

function recipientsOf(fields: FieldsData, type: "to" | "cc" | "bcc"): string[] {
  return (fields.recipients ?? [])
    .filter((recipient) => (recipient.recipType ?? "to") === type)
    .map((recipient) => formatMailbox(recipient.name, addressOf(recipient.smtpAddress, recipient.email)))
    .filter((text) => text !== "");
}

function attachmentOf(fields: FieldsData, file: { fileName: string; content: Uint8Array }): MailAttachment {
  const isMessage = fields.innerMsgContent === true;
  const name = isMessage ? `${fields.name ?? "message"}.msg`.replace(/\.msg\.msg$/i, ".msg") : fields.fileName;
  return {
    name: name ?? file.fileName,
    mimeType: fields.attachMimeTag ?? null,
    bytes: file.content,
    isInline: fields.pidContentId !== undefined && fields.attachMimeTag?.startsWith("image/") === true,
  };
}
