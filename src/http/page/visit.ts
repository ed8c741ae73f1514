import type { Hosting, KnowledgeBase, NamespaceHandle } from "../../index.js";
import type { Call } from "../route.js";
import { isAllowedEmail } from "./allowed-email.js";
import { PageError } from "./page-error.js";
import type { ResolvedPageOptions } from "./page-options.js";
import { sessionTokens } from "./session-cookie.js";
import { languageOf, type PageLanguage } from "./strings/page-language.js";

/** A request to a page: which page, by whom. */
export interface Visit {
  readonly call: Call;
  readonly language: PageLanguage;
  readonly settings: Hosting;
  readonly namespace: NamespaceHandle;
  /** The path of the page. */
  readonly base: string;
  /** The URL at which the visitor reaches the page. */
  readonly url: URL;
  readonly isSecure: boolean;
  readonly isAdmitted: boolean;
  /** Whether the visitor can ask for a sign-in code. */
  readonly canSignIn: boolean;
  /** The e-mail address of a valid session; `null` for all others. */
  readonly email: string | null;
  /** The one that the page's settings name. */
  readonly languageModel: ResolvedPageOptions["languageModels"][string] | undefined;
}

/** @throws PageError `not_found` if there is no page with the slug of the path */
export async function openVisit(call: Call, options: ResolvedPageOptions): Promise<Visit> {
  const { kb, params, request, link, signal } = call;
  const page = await kb.hostedPage(params.slug!, { signal });
  if (!page) throw new PageError("not_found");
  const { settings } = page;
  // Visitors are no principals, so that a page shows only documents that allow all.
  const namespace = page.namespace.visibleTo([]);
  const { slug, protected: isProtected, llmConfig } = settings;
  const url = new URL(link(`/h/${slug}`));
  const forwarded = options.proxies > 0 ? request.headers.get("x-forwarded-proto") : null;
  const byEmail = isProtected && !options.authorize;
  const email = byEmail ? await emailOfSession(kb, settings, request) : null;
  const language = await languageOf(request);
  return {
    ...{ call, language, settings, namespace, url, email },
    base: url.pathname,
    isSecure: url.protocol === "https:" || forwarded?.split(",").at(-1)?.trim() === "https",
    isAdmitted: !isProtected || email !== null || (await isAuthorized(request, settings, options)),
    canSignIn: byEmail && options.sendEmail !== undefined,
    languageModel: findLanguageModel(llmConfig.model, call, options),
  };
}

/** Checked with every request, so that an address that is removed from the page's lists is signed out at once. */
async function emailOfSession(kb: KnowledgeBase, settings: Hosting, request: Request): Promise<string | null> {
  for (const token of sessionTokens(request)) {
    const email = await kb.verifyPageSession(settings, token);
    if (email !== null && isAllowedEmail(email, settings)) return email;
  }
  return null;
}

async function isAuthorized(
  { url, headers }: Request,
  { slug, namespaceId }: Hosting,
  { authorize }: ResolvedPageOptions,
): Promise<boolean> {
  return authorize ? (await authorize(new Request(url, { headers }), { slug, namespaceId })) === true : false;
}

function findLanguageModel(name: string | null, { onError }: Call, { languageModels }: ResolvedPageOptions) {
  if (name === null) return undefined;
  if (Object.hasOwn(languageModels, name)) return languageModels[name];
  onError(new Error(`The page's settings name the language model ${JSON.stringify(name)}, which isn't configured.`));
  return undefined;
}
