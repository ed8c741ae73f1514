/** What is looked for in place of a secret. */
export interface ConfidentialParts {
  /** Looked for as they are. */
  readonly whole: readonly string[];
  /** Looked for in part, too: a message may have been cut anywhere. */
  readonly divisible: readonly string[];
}

const URL_WITH_HOST = /^[a-z][a-z\d+.-]*:\/\/(?:([^/?#]*)@)?[^/?#]+([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const PEM_ARMOUR = /-----(?:BEGIN|END) [A-Z\d ]+-----/;
/** A user name of this length or longer may be a key. Shorter ones are words such as `postgres`. */
const LONG_USER = 12;
/** Values in a query of fewer characters are mostly words, such as `true` and `require`. */
const LONG_VALUE = 8;
/** A part of a path that grants access by itself, as the addresses of webhooks have. */
const TOKEN = /^(?=.*\d)(?=.*[a-z])[\w.~+=%-]{16,}$/i;

/**
 * Leaves out what is public in a secret of a known structure, so that messages still name it: the host, the port and the path of a URL,
 * and the armour of a key in PEM.
 */
export function confidentialPartsOf(secret: string): ConfidentialParts {
  const url = URL_WITH_HOST.exec(secret);
  if (!url) return { whole: [], divisible: secret.split(PEM_ARMOUR).filter((part) => part.trim() !== "") };
  const [, userInfo = "", path = "", query = "", fragment = ""] = url;
  const tokens = path.split("/").filter((part) => TOKEN.test(part));
  const values = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  const parts = [
    ...[userInfo, ...credentialsIn(userInfo), ...tokens],
    ...[query, ...values.filter(({ length }) => length >= LONG_VALUE), fragment],
  ];
  // Messages may quote a part as it is in the URL, or as what it stands for.
  return { whole: [secret], divisible: parts.flatMap((part) => [part, percentDecoded(part)]).filter(Boolean) };
}

/** The password; the user name only where it may be the secret itself. */
function credentialsIn(userInfo: string): readonly string[] {
  const colon = userInfo.indexOf(":");
  const user = colon === -1 ? userInfo : userInfo.slice(0, colon);
  const password = colon === -1 ? "" : userInfo.slice(colon + 1);
  return password === "" || user.length >= LONG_USER ? [user, password] : [password];
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString());
}
