import { randomUUID } from "node:crypto";
import { isAllowedEmail, normalizeEmail } from "./allowed-email.js";
import { PageError } from "./page-error.js";
import type { PageServer } from "./page-server.js";
import { sessionCookie } from "./session-cookie.js";
import type { PageStrings } from "./strings/english.js";
import { fill } from "./strings/fill.js";
import type { Visit } from "./visit.js";

/** Sends a code to an allowed address. The response, with which the code must come back, is the same for all others. */
export async function sendCode(server: PageServer, visit: Visit): Promise<{ requestId: string }> {
  const { settings, call, language } = visit;
  const { email } = await readSignIn(server, visit);
  await server.limitCodes(visit, email);
  const { requestId, code } = await call.kb.createPageCode(settings, email);
  if (!isAllowedEmail(email, settings)) return { requestId };
  // A title may have line breaks, which end a header in mails.
  const title = settings.title.replace(/[\p{Cc}\p{Cf}]+/gu, " ");
  const texts = language.strings.server.email;
  const message = {
    to: email,
    subject: fill(texts.subject, { code, title }),
    text: emailText(texts, { code, title, url: settings.url }),
  };
  // Starts after the response, whose time then doesn't tell that an e-mail is sent.
  setImmediate(async () => {
    try {
      await server.options.sendEmail?.(message);
    } catch (error) {
      call.onError(error);
    }
  });
  return { requestId };
}

/**
 * The link has the code where no server sees it, so that mail scanners which open it don't use it up. There is none
 * without a configured URL: that of the request can be forged, and would send the code to another site.
 */
function emailText(
  { code, link, ignore }: PageStrings["server"]["email"],
  values: { readonly code: string; readonly title: string; readonly url: string },
): string {
  const withLink = URL.canParse(values.url) ? [link, `${values.url}#code=${values.code}`] : [];
  return `${[fill(code, values), ...withLink, ignore].join("\n\n")}\n`;
}

/** Checks a code and sets the cookie of the session. */
export async function verifyCode(server: PageServer, visit: Visit): Promise<Response> {
  const { settings, call } = visit;
  const { email, code, requestId } = await readSignIn(server, visit);
  await server.limitTries(visit);
  const isRight = await call.kb.verifyPageCode(settings, { requestId, email, code });
  // The lists may have changed since the code was sent.
  if (!isRight || !isAllowedEmail(email, settings)) throw new PageError("invalid_code");
  const { token, expires } = await call.kb.createPageSession(settings, email);
  const maxAge = Math.floor((expires - Date.now()) / 1000);
  return Response.json({}, { headers: { "set-cookie": sessionCookie(token, maxAge, cookieScope(visit)) } });
}

export async function signOut(server: PageServer, visit: Visit): Promise<Response> {
  await server.readBody(visit);
  return Response.json({}, { headers: { "set-cookie": sessionCookie("", 0, cookieScope(visit)) } });
}

async function readSignIn(
  server: PageServer,
  visit: Visit,
): Promise<{ email: string; code: string; requestId: string }> {
  if (!visit.canSignIn) throw new PageError("sign_in_unavailable");
  const body = (await server.readBody(visit)) as { email?: unknown; code?: unknown; requestId?: unknown } | null;
  const email = normalizeEmail(body?.email);
  if (email === null) throw new PageError("invalid_request", { text: "not_an_email" });
  return { email, code: readToken(body?.code).trim(), requestId: readToken(body?.requestId) };
}

/** Instead of what can't be right, a value that isn't, so that the check takes its time. */
function readToken(value: unknown): string {
  return typeof value === "string" && value.length <= 36 ? value : randomUUID();
}

function cookieScope({ base, isSecure }: Visit) {
  return { path: base, isSecure };
}
