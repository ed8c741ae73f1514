import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";

const MIME_TYPE = "application/vnd.ms-outlook";

/** Parses Outlook messages: headers, text and attachments. */
export const msgParser: Parser = {
  name: "msg",
  mimeTypes: [MIME_TYPE],
  extensions: ["msg"],
  supportedOptions: PAGELESS_OPTIONS,
  async parse(file, options) {
    const [{ readMsg }, { mailDocument }] = await Promise.all([
      import("../shared/mail/read-msg.js"),
      import("../shared/mail/mail-to-blocks.js"),
    ]);
    return mailDocument(await readMsg(file.name, file.bytes), MIME_TYPE, options);
  },
};
