/**
 * Query parameters that don't change the page: trackers on the list of Firefox's query stripping
 * (services/settings/static-dumps/main/query-stripping.json) or documented by vendors, and the default session
 * parameters of PHP, Java servlets, ColdFusion and ASP.
 */
const NAMES = new Set([
  // Google: click identifiers, the linker of Analytics, Merchant Center.
  ...["gclid", "dclid", "gbraid", "wbraid", "gclsrc", "_ga", "_gl", "srsltid"],
  // Meta and Instagram.
  ...["fbclid", "igshid", "igsh", "fb_action_ids", "fb_action_types", "fb_ref", "fb_source"],
  // Microsoft, X, TikTok, LinkedIn, Pinterest, Yandex.
  ...["msclkid", "twclid", "ttclid", "li_fat_id", "epik", "yclid", "ysclid", "_openstat"],
  // Newsletters: Mailchimp, HubSpot, Marketo, Klaviyo, Vero, Drip, Olytics, MailerLite.
  ...["mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "mkt_tok", "_kx"],
  ...["vero_id", "vero_conv", "__s", "oly_anon_id", "oly_enc_id", "ml_subscriber", "ml_subscriber_hash"],
  // Others in Firefox's list.
  ...["wickedid"],
  // Sessions.
  ...["phpsessid", "jsessionid", "cfid", "cftoken"],
]);

/** Campaign parameters of Google Analytics and Matomo (formerly Piwik); ASP sessions, whose suffix is random. */
const PREFIXES = ["utm_", "mtm_", "pk_", "piwik_", "aspsessionid"];

/** Whether a query parameter only tracks visitors or sessions and doesn't change the page. */
export function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}
