/** A message of any format. */
export interface Mail {
  readonly subject: string | null;
  readonly from: string | null;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** As written in the message. */
  readonly date: string | null;
  readonly messageId: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** The text as RTF, if the message has it in no other form. */
  readonly rtf?: Uint8Array;
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly name: string | null;
  readonly mimeType: string | null;
  readonly bytes: Uint8Array;
  /** Whether the attachment is displayed within the text, such as an image that the HTML refers to. */
  readonly isInline: boolean;
}

/** Formats a mailbox for display, as in `Zoë Doe <zoe@example.com>`. */
export function formatMailbox(name: string | null | undefined, address: string | null | undefined): string {
  const label = name?.trim() ?? "";
  const email = address?.trim() ?? "";
  if (label === "" || label === email) return email;
  return email === "" ? label : `${label} <${email}>`;
}
