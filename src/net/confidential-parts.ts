import { decodePercentEscapes } from "./decode-percent-escapes.js";

/** The parts of a secret that are redacted. */
export interface ConfidentialParts {
  /** Matched only as a whole. */
  readonly whole: readonly string[];
  /** Matched in fragments as well, because a message may be truncated anywhere. */
  readonly divisible: readonly string[];
}

const URL_WITH_HOST = /^[a-z][a-z\d+.-]*:\/\/(?:([^/?#]*)@)?[^/?#]+([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const PEM_BOUNDARY = /-----(?:BEGIN|END) [A-Z\d ]+-----/;
/** User names of this length may be keys; shorter user names are words such as `postgres`. */
const MIN_SECRET_USER_CHARS = 12;
/** Shorter query values are mostly words such as `true` and `require`. */
const MIN_SECRET_VALUE_CHARS = 8;
/** A path segment that grants access by itself, as in webhook URLs. */
const TOKEN_SEGMENT = /^(?=.*\d)(?=.*[a-z])[\w.~+=%-]{16,}$/i;

/**
 * Splits a secret into its confidential parts. Public parts of known formats are left out, so that messages may still
 * name them: the host, port and path of a URL, and the BEGIN and END lines of a PEM key.
 */
export function confidentialPartsOf(secret: string): ConfidentialParts {
  const url = URL_WITH_HOST.exec(secret);
  if (!url) return { whole: [], divisible: secret.split(PEM_BOUNDARY).filter((part) => part.trim() !== "") };
  const [, userInfo = "", path = "", query = "", fragment = ""] = url;
  const tokens = path.split("/").filter((part) => TOKEN_SEGMENT.test(part));
  const values = query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1));
  const parts = [
    ...[userInfo, ...credentialsIn(userInfo), ...tokens],
    ...[query, ...values.filter(({ length }) => length >= MIN_SECRET_VALUE_CHARS), fragment],
  ];
  // Messages may quote a part encoded or decoded.
  return { whole: [secret], divisible: parts.flatMap((part) => [part, decodePercentEscapes(part)]).filter(Boolean) };
}

/** Returns the password, and the user name if it may be a secret itself. */
function credentialsIn(userInfo: string): readonly string[] {
  const colon = userInfo.indexOf(":");
  const user = colon === -1 ? userInfo : userInfo.slice(0, colon);
  const password = colon === -1 ? "" : userInfo.slice(colon + 1);
  return password === "" || user.length >= MIN_SECRET_USER_CHARS ? [user, password] : [password];
}
