import type { AiSdkLanguageModel, LanguageModel } from "../../index.js";
import { z } from "../../vendor/zod.js";

/** An e-mail with a sign-in code, as plain text. */
export interface PageEmail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** How the hosted pages are served. Their settings are those of the namespaces' `hosting`. */
export interface PageOptions {
  /**
   * Sends the sign-in code of a protected page. It is not awaited, so that the time of the response doesn't tell
   * whether an address is allowed; its errors go to `onError`.
   * @default none: nobody can sign in to a protected page by e-mail
   */
  readonly sendEmail?: ((email: PageEmail) => unknown) | undefined;
  /**
   * Decides who may use a protected page, instead of sign-in by e-mail and the page's lists of addresses. It gets the
   * request without its body.
   * @default none
   */
  readonly authorize?:
    | ((request: Request, page: { readonly slug: string; readonly namespaceId: string }) => boolean | Promise<boolean>)
    | undefined;
  /** The origins that may embed the pages, such as `https://www.example.com`. @default none */
  readonly frameAncestors?: readonly string[] | undefined;
  /** The keys of the passages' metadata that visitors see. @default none */
  readonly metadata?: readonly string[] | undefined;
  /**
   * The language models that `llmConfig.model` of a page's settings may name. Other names are reported to `onError`,
   * and the option `languageModel` of the knowledge base is used.
   * @default none
   */
  readonly languageModels?: Readonly<Record<string, LanguageModel | AiSdkLanguageModel>> | undefined;
  readonly limits?: PageLimits | undefined;
  /**
   * The number of proxies before this server, `true` for one: the visitor's address is then the entry of
   * `x-forwarded-for` that the first of them has written, and `x-forwarded-proto` says whether the visitor uses https.
   * @default false: the address is that of the connection
   */
  readonly trustProxy?: boolean | number | undefined;
}

/**
 * Limits of each signed-in visitor of a page, and of each IP address for all others. Where the address is not known,
 * which is so in a server without `toNodeHandler` and without `trustProxy`, the visitors of a page share ten times the
 * limit. With a PostgreSQL database, the requests of all processes are counted together.
 */
export interface PageLimits {
  /** Searches and documents read. @default 120 */
  readonly searchesPerMinute?: number | undefined;
  /** Questions and feedback. @default 20 */
  readonly questionsPerMinute?: number | undefined;
}

const callbackSchema = z.custom<never>((value) => typeof value === "function", "must be a function");
const limits = { searchesPerMinute: 120, questionsPerMinute: 20 };
const MAX_PROXIES = 10;

/** An origin, or `'self'`. Anything else could change the policy that it becomes a part of. */
const frameAncestorSchema = z
  .string()
  .regex(
    /^(?:'self'|https?:\/\/(?:\*\.)?[A-Za-z0-9.-]+(?::\d{1,5})?)$/,
    "must be an origin such as https://www.example.com",
  );

export const pageOptionsSchema = z.union([
  z.literal(false),
  z.strictObject({
    sendEmail: callbackSchema.optional(),
    authorize: callbackSchema.optional(),
    frameAncestors: z.array(frameAncestorSchema).default([]),
    metadata: z.array(z.string().min(1)).default([]),
    languageModels: z
      .record(
        z.string(),
        z.custom<never>((value) => typeof value === "object" && value !== null, "must be a model"),
      )
      .default({}),
    limits: z
      .strictObject({
        searchesPerMinute: z.int().min(1).default(limits.searchesPerMinute),
        questionsPerMinute: z.int().min(1).default(limits.questionsPerMinute),
      })
      .default(limits),
    trustProxy: z.union([z.boolean(), z.int().min(0).max(MAX_PROXIES)]).default(false),
  }),
]);

export interface ResolvedPageOptions
  extends Pick<PageOptions, "sendEmail" | "authorize">,
    Required<{ readonly [Name in "frameAncestors" | "metadata" | "languageModels"]: NonNullable<PageOptions[Name]> }> {
  readonly limits: { readonly [Name in keyof PageLimits]-?: number };
  /** The number of trusted proxies. */
  readonly proxies: number;
}

/** @param options As the schema has parsed them. */
export function resolvePageOptions(options: z.output<typeof pageOptionsSchema>): ResolvedPageOptions | null {
  if (options === false) return null;
  const { trustProxy, ...rest } = options;
  return { ...rest, proxies: Number(trustProxy) };
}
