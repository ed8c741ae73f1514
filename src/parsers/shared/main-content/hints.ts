import { attribute, type HtmlElement } from "../html/html-tree.js";

/** Words of classes and ids that authors give to boilerplate. */
const BOILERPLATE_WORDS = new Set(
  (
    "breadcrumb breadcrumbs crumb crumbs skip skiplink share sharing sharebar sharedaddy social sns addthis " +
    "newsletter subscribe subscription subscriptions signup mailinglist related relatedposts relatives " +
    "recommendation recommendations recommended outbrain taboola trending popular recently sidebar sphinxsidebar " +
    "widget widgets pagination pager paging comment comments commentlist respond reply disqus like likes clap claps " +
    "ad ads advert adverts advertisement advertising adsbygoogle adthrive sponsored sponsor werbung anzeige " +
    "publicidad publicite noprint editsection catlinks navbox toc tableofcontents taglist tagcloud tags feedback " +
    "vote votes helpful login signin signout logout cart basket wishlist jump jumpbox backtotop backlink modal " +
    "popup disclosure postprofile print printonly button buttons btn teaserbox metanav sitemap permalink headerlink"
  ).split(" "),
);

/** Words that may also name parts of a text: they count only for short labels and for elements with mostly links. */
const AMBIGUOUS_WORDS = new Set(
  (
    "nav navi navbar navigation menu menubar topbar toolbar tools bar banner action actions footer foot bottom " +
    "masthead meta badge filter filters sort stat stats cta promo teaser teasers also more next prev previous " +
    "category categories follow top link links search archive archives language languages lang interlanguage hot " +
    "latest recent tip notice speechify"
  ).split(" "),
);

/** Words of classes and ids of notices that ask for consent to cookies. */
const CONSENT_WORDS = new Set(
  (
    "cookie cookies cookiebar cookiebot cookiebanner cookieconsent consent gdpr dsgvo rgpd cmp cc onetrust cybot " +
    "cookiebotdialog cybotcookiebotdialog usercentrics didomi truste quantcast"
  ).split(" "),
);

const BOILERPLATE_ROLE_PATTERN =
  /^(?:navigation|menu|menubar|search|banner|contentinfo|complementary|dialog|alertdialog|toolbar|doc-toc)$/;

/** Signs of boilerplate in the role, class and id of an element. */
export interface Hints {
  readonly isDialog: boolean;
  readonly isBoilerplate: boolean;
  /** Whether the class or id has a word that may also name part of a text. */
  readonly isAmbiguous: boolean;
  readonly isConsent: boolean;
}

export function hintsOf(element: HtmlElement): Hints {
  const words = wordsOf(element);
  const role = attribute(element, "role") ?? "";
  return {
    isDialog: role.endsWith("dialog"),
    isBoilerplate: BOILERPLATE_ROLE_PATTERN.test(role) || words.some((word) => BOILERPLATE_WORDS.has(word)),
    isAmbiguous: words.some((word) => AMBIGUOUS_WORDS.has(word)),
    isConsent: words.some((word) => CONSENT_WORDS.has(word)),
  };
}

/** Returns the words of class and id, also split at capitals: `entryRelated` gives entry, related and entryrelated. */
function wordsOf(element: HtmlElement): string[] {
  // Classes such as `has-sidebar` describe the layout, not the element.
  const names = `${attribute(element, "class") ?? ""} ${attribute(element, "id") ?? ""}`.replace(
    /\b(?:has|with|no|not|without)-\S*/g,
    "",
  );
  const split = names.replace(/([a-z])([A-Z])/g, "$1 $2");
  return `${split} ${names}`.toLowerCase().split(/[^a-z]+/);
}
