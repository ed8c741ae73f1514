import type { Address, Attachment, Email, Header } from "postal-mime";
import { collapseWhitespace } from "../../../util/collapse-whitespace.js";
import { PARSE_LIMITS } from "../../limits.js";
import { fileOverLimit, invalidFile } from "../errors/file-errors.js";
import { mailProblem } from "../errors/library-errors.js";
import { formatMailbox, type Mail, type MailAttachment } from "./mail.js";
import { normalizeMail } from "./normalize-mail.js";

const MAX_HEADER_BYTES = 2 * 1024 * 1024;
const DASH = 0x2d;
const SPACE = 0x20;

/**
 * Reads an Internet message (RFC 5322, MIME).
 * @throws `invalid_input` if the file is not a message or is encrypted, `limit_exceeded` if it has too many parts.
 */
export async function readEml(name: string | null, bytes: Uint8Array): Promise<Mail> {
  const { default: PostalMime } = await import("postal-mime");
  assertPartLimit(name, bytes);
  let email: Email;
  try {
    const settings = { forceRfc822Attachments: true, maxHeadersSize: MAX_HEADER_BYTES };
    email = await PostalMime.parse(await normalizeMail(bytes), settings);
  } catch (error) {
    throw invalidFile(name, `cannot be read as a message: ${mailProblem(error)}.`, error);
  }
  if (!email.headers.some(({ key }) => KNOWN_HEADER_PATTERN.test(key)))
    throw invalidFile(name, "has no message header.");
  assertNotEncrypted(name, email);
  return {
    subject: collapseWhitespace(email.subject ?? "") || null,
    from: formatMailboxes([email.from ?? email.sender]).join(", ") || null,
    to: formatMailboxes(email.to),
    cc: formatMailboxes(email.cc),
    bcc: formatMailboxes(email.bcc),
    date: headerOf(email.headers, "date"),
    messageId: email.messageId ?? null,
    text: email.text?.trim() ? email.text : null,
    html: email.html?.trim() ? email.html : null,
    attachments: email.attachments.filter(isReadable).map((attachment, index): MailAttachment => {
      // Parts of these types belong to the text: a forwarded message, an invitation, an image of a saved page.
      const isText = /^(?:message|text|image)\//.test(attachment.mimeType);
      const content = attachment.content;
      return {
        name: attachment.filename || (isText ? null : attachment.description || `attachment ${index + 1}`),
        mimeType: attachment.mimeType,
        bytes: typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
        isInline: attachment.related === true || attachment.disposition === "inline" || attachment.disposition === null,
      };
    }),
  };
}

/** Whether an attachment is readable: not a style, script or font of a page saved as a message. */
function isReadable({ disposition, mimeType }: Attachment): boolean {
  return (
    disposition === "attachment" || !/^(?:text\/css|(?:text|application)\/(?:x-)?javascript|font\/.*)$/.test(mimeType)
  );
}

const KNOWN_HEADER_PATTERN =
  /^(?:from|to|cc|subject|date|message-id|received|mime-version|content-type|return-path|delivered-to|reply-to)$/;

/** Throws if there are too many part boundaries: each costs the parser memory but takes only a few bytes. */
function assertPartLimit(name: string | null, bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let partCount = 0;
  for (let at = buffer.indexOf("\n--"); at !== -1; at = buffer.indexOf("\n--", at + 3)) {
    let end = at + 3;
    while (buffer[end] === DASH) end++;
    // Dashes before white space are a signature or a rule.
    if (buffer[end]! > SPACE && ++partCount > PARSE_LIMITS.maxMailParts)
      throw fileOverLimit(name, `has more than the ${PARSE_LIMITS.maxMailParts} parts allowed.`);
  }
}

function assertNotEncrypted(name: string | null, email: Email): void {
  const type = (headerOf(email.headers, "content-type") ?? "").toLowerCase();
  if (/^multipart\/encrypted/.test(type)) throw invalidFile(name, "is encrypted (PGP/MIME).");
  if (!/^application\/(?:x-)?pkcs7-mime/.test(type)) return;
  if (/smime-type\s*=\s*"?signed-data/.test(type))
    throw invalidFile(name, "has its text inside an S/MIME signature, which is not supported.");
  throw invalidFile(name, "is encrypted (S/MIME).");
}

function headerOf(headers: readonly Header[], key: string): string | null {
  const value = headers.find((header) => header.key === key)?.value;
  return value === undefined ? null : collapseWhitespace(value);
}

function formatMailboxes(addresses: readonly (Address | undefined)[] | undefined): string[] {
  return (addresses ?? [])
    .flatMap((address) => {
      if (address === undefined) return [];
      if (address.group === undefined) return [formatMailbox(address.name, address.address)];
      return [
        `${address.name}: ${address.group.map((member) => formatMailbox(member.name, member.address)).join(", ")}`,
      ];
    })
    .filter((text) => text !== "");
}
