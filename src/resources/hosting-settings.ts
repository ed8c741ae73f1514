/** Settings of a namespace's hosted search and chat page, which the HTTP handler serves at `/h/{slug}`. */
export interface HostingSettings {
  /** Title of the page, 1 to 256 characters. @default the namespace's name */
  readonly title: string;
  /**
   * The page's name in URLs, unique among all hosted pages: 2 to 64 letters, digits, `-` and `_`.
   * @default the namespace's slug, `-` and 8 random hexadecimal digits
   */
  readonly slug: string;
  /** http or https URL of an image, at most 8192 characters. @default null */
  readonly logo: string | null;
  /** Title in link previews (Open Graph), at most 70 characters. @default null */
  readonly ogTitle: string | null;
  /** Description in link previews (Open Graph), at most 200 characters. @default null */
  readonly ogDescription: string | null;
  /** http or https URL of the image in link previews (Open Graph), at most 8192 characters. @default null */
  readonly ogImage: string | null;
  /** Instructions for the chat's language model, at most 20,000 characters. @default null */
  readonly systemPrompt: string | null;
  /** Questions that the chat suggests: at most 4, of 1 to 500 characters each. @default [] */
  readonly exampleQuestions: readonly string[];
  /** Queries that the search suggests: at most 4, of 1 to 500 characters each. @default [] */
  readonly exampleSearchQueries: readonly string[];
  /** First message of the chat, at most 2000 characters. @default null */
  readonly welcomeMessage: string | null;
  /** Path to the metadata value that citations show, at most 256 characters. @default null */
  readonly citationMetadataPath: string | null;
  /** Whether the page offers search in addition to the chat. @default true */
  readonly searchEnabled: boolean;
  /**
   * How hits are reranked: by `model` (`null` leaves the choice to the host), keeping `limit` of them (1 to 100).
   * @default { model: null, limit: 15 }
   */
  readonly rerankConfig: { readonly model: string | null; readonly limit: number };
  /** The chat's language model; `null` leaves the choice to the host. @default { model: null } */
  readonly llmConfig: { readonly model: string | null };
  /** How many passages to retrieve for a question, 1 to 100. @default 50 */
  readonly topK: number;
  /** Whether only people allowed by `allowedEmails` and `allowedEmailDomains` may use the page. @default true */
  readonly protected: boolean;
  /** E-mail addresses of people who may use a protected page, at most 1000. @default [] */
  readonly allowedEmails: readonly string[];
  /** At most 1000 e-mail domains such as `example.com` whose users may use a protected page. @default [] */
  readonly allowedEmailDomains: readonly string[];
}

/** The settings, each of which may be omitted. */
type Settings = { readonly [Name in keyof HostingSettings]?: HostingSettings[Name] | undefined };

/**
 * The settings to change. Omitted settings stay unchanged, or get their defaults when hosting is enabled. A nested
 * object is replaced as a whole; the three shorthands below are applied after that.
 */
export interface HostingPatch extends Settings {
  /** Shorthand for `rerankConfig.model` that leaves the limit unchanged. At least 1 character. */
  readonly rerankModel?: string | undefined;
  /** Shorthand for `rerankConfig.limit`, 1 to 100, that leaves the model unchanged. */
  readonly rerankLimit?: number | undefined;
  /** Shorthand for `llmConfig.model`. At least 1 character. */
  readonly llmModel?: string | undefined;
}

/** The settings of a namespace whose hosted page is enabled. */
export interface Hosting extends HostingSettings {
  /**
   * URL of the page: `{publicUrl}/h/{slug}`. Over HTTP it is always absolute; in code it is the path `/h/{slug}` if the
   * option `publicUrl` isn't set.
   */
  readonly url: string;
  /** Id of the namespace. */
  readonly namespaceId: string;
  /** When hosting was enabled, ISO 8601. */
  readonly createdAt: string;
  /** When a setting last changed, ISO 8601. */
  readonly updatedAt: string;
}
