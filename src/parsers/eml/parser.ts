import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import type { ParsedDocument, ParseOptions, Parser, SourceFile } from "../../interfaces/parser.js";
import { PARSE_LIMITS } from "../limits.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { decodeText } from "../shared/charset/decode-text.js";
import { fileOverLimit, invalidFile } from "../shared/errors/file-errors.js";

const MBOX_TYPE = "application/mbox";
const MESSAGE_TYPE = "message/rfc822";
const MBOX_SEPARATOR = Buffer.from("\nFrom ");

/** Parses email messages, mailboxes (mbox) and web pages saved as MHTML: headers, text and attachments. */
export const emlParser: Parser = {
  name: "eml",
  mimeTypes: [MESSAGE_TYPE, MBOX_TYPE],
  extensions: ["eml", "mbox", "emlx", "mht", "mhtml"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) => looksLikeMail(decodeText(head).text),
  async parse(file, options) {
    const isMbox = file.mimeType === MBOX_TYPE || /\.mbox$/i.test(file.name ?? "");
    if (isMbox) return parseMailbox(file, options);
    const [{ readEml }, { mailDocument }] = await Promise.all([
      import("../shared/mail/read-eml.js"),
      import("../shared/mail/mail-to-blocks.js"),
    ]);
    return mailDocument(await readEml(file.name, unwrapEmlx(file.bytes)), MESSAGE_TYPE, options);
  },
};

/** Removes the message length before a message and the property list after it, which Apple Mail adds. */
function unwrapEmlx(bytes: Uint8Array): Uint8Array {
  const lengthLine = /^(\d{1,10})\s*\n/.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 20)));
  return lengthLine === null
    ? bytes
    : bytes.subarray(lengthLine[0].length, lengthLine[0].length + Number(lengthLine[1]));
}

/** Returns whether a text begins with three or more typical header fields of messages, including From or Received. */
function looksLikeMail(text: string): boolean {
  const headerNames = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (index === 0 && /^From \S/.test(line)) continue;
    if (/^[ \t]+\S/.test(line) && index > 0) continue;
    const name = /^([A-Za-z][\w-]*):(?:\s|$)/.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) break;
    if (/^(?:from|to|subject|date|message-id|received|return-path|delivered-to|mime-version|x-mailer)$/.test(name))
      headerNames.add(name);
  }
  return headerNames.size >= 3 && (headerNames.has("from") || headerNames.has("received"));
}

/**
 * Parses a mailbox: adds every message under its subject, and a warning if some messages cannot be read.
 *
 * @throws `invalid_input` if no message can be read.
 */
async function parseMailbox(file: SourceFile, options: ParseOptions): Promise<ParsedDocument> {
  const [{ readEml }, { mailToBlocks }] = await Promise.all([
    import("../shared/mail/read-eml.js"),
    import("../shared/mail/mail-to-blocks.js"),
  ]);
  const list = new BlockList();
  const warnings: string[] = [];
  const messages = splitMbox(file.bytes);
  if (messages.length > PARSE_LIMITS.maxMessages)
    throw fileOverLimit(
      file.name,
      `has ${messages.length} messages, more than the ${PARSE_LIMITS.maxMessages} allowed.`,
    );
  let unreadableCount = 0;
  let lastError: unknown;
  for (const message of messages) {
    options.signal?.throwIfAborted();
    try {
      warnings.push(...(await mailToBlocks(list, await readEml(file.name, message), options)));
    } catch (error) {
      if (!KnowledgeBaseError.is(error, "invalid_input")) throw error;
      unreadableCount++;
      lastError = error;
    }
  }
  if (unreadableCount === messages.length)
    throw invalidFile(file.name, `has no readable message: ${getErrorMessage(lastError)}`, lastError);
  if (unreadableCount > 0)
    warnings.push(`${unreadableCount} of ${messages.length} messages could not be read: ${getErrorMessage(lastError)}`);
  return { blocks: list.blocks, title: null, mimeType: MBOX_TYPE, pages: null, metadata: {}, warnings };
}

/** Splits a mailbox into messages, each of which begins with a line `From <sender> <date>` after an empty line. */
function splitMbox(bytes: Uint8Array): Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = [0];
  for (let at = buffer.indexOf(MBOX_SEPARATOR); at !== -1; at = buffer.indexOf(MBOX_SEPARATOR, at + 1)) {
    const isAfterEmptyLine = buffer[at - 1] === 10 || (buffer[at - 1] === 13 && buffer[at - 2] === 10);
    const line = buffer.toString("latin1", at + 1, Math.min(at + 200, buffer.length)).split("\n", 1)[0]!;
    if (isAfterEmptyLine && /\d{2}:\d{2}.*\d{4}\s*$/.test(line)) starts.push(at + 1);
  }
  return starts
    .map((start, i) => buffer.subarray(start, starts[i + 1] ?? buffer.length))
    .filter((message) => message.length > 5);
}
