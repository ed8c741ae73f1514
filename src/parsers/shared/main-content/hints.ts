import { attribute, type HtmlElement } from "../html/html-tree.js";

/** Words of classes and ids by which authors call what is not the text, wherever it stands. */
const APART =
  /^(?:breadcrumbs?|crumbs?|skip|skiplink|share|sharing|sharebar|sharedaddy|social|sns|addthis|newsletter|subscribe|subscription|subscriptions|signup|mailinglist|related|relatedposts|relatives|recommendations?|recommended|outbrain|taboola|trending|popular|recently|sidebar|sphinxsidebar|widget|widgets|pagination|pager|paging|comments?|commentlist|respond|reply|disqus|likes?|claps?|ad|ads|advert|adverts|advertisement|advertising|adsbygoogle|adthrive|sponsored|sponsor|werbung|anzeige|publicidad|publicite|noprint|editsection|catlinks|navbox|toc|tableofcontents|taglist|tagcloud|tags|feedback|votes?|helpful|login|signin|signout|logout|cart|basket|wishlist|jump|jumpbox|backtotop|backlink|modal|popup|disclosure|postprofile|print|printonly|buttons?|btn|teaserbox|metanav|sitemap|permalink|headerlink)$/;

/** Words that also name parts of a text: they count where the element has no sentences, or is made of links. */
const VAGUE =
  /^(?:nav|navi|navbar|navigation|menu|menubar|topbar|toolbar|tools|bar|banner|actions?|footer|foot|bottom|masthead|meta|badge|filters?|sort|stats?|stat|cta|promo|teaser|teasers|also|more|next|prev|previous|category|categories|follow|top|links?|search|archive|archives|languages?|lang|interlanguage|hot|latest|recent|tip|notice|speechify)$/;

/** Those of notices that stand over a page and ask for leave. */
const CONSENT =
  /^(?:cookies?|cookiebar|cookiebot|cookiebanner|cookieconsent|consent|gdpr|dsgvo|rgpd|cmp|cc|onetrust|cybot|cookiebotdialog|cybotcookiebotdialog|usercentrics|didomi|truste|quantcast)$/;

const ROLES_APART =
  /^(?:navigation|menu|menubar|search|banner|contentinfo|complementary|dialog|alertdialog|toolbar|doc-toc)$/;

export interface Hints {
  readonly dialog: boolean;
  readonly apart: boolean;
  readonly vague: boolean;
  readonly consent: boolean;
}

/** What an element's role, class and id say of it. */
export function hintsOf(element: HtmlElement): Hints {
  const words = wordsOf(element);
  const role = attribute(element, "role") ?? "";
  return {
    dialog: /dialog$/.test(role),
    apart: ROLES_APART.test(role) || words.some((word) => APART.test(word)),
    vague: words.some((word) => VAGUE.test(word)),
    consent: words.some((word) => CONSENT.test(word)),
  };
}

/** `entry-related Posts2` and `entryRelatedPosts` are the same words. */
function wordsOf(element: HtmlElement): string[] {
  // What a layout has or lacks is not what the element is.
  const names = `${attribute(element, "class") ?? ""} ${attribute(element, "id") ?? ""}`.replace(
    /\b(?:has|with|no|not|without)-\S*/g,
    "",
  );
  const parts = names
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
  const whole = names.toLowerCase().split(/[^a-z]+/);
  return [...parts, ...whole].filter((word) => word !== "");
}
