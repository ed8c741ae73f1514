import { MAX_QUERY_LENGTH } from "../../validation/query-length.js";
import { type Html, html, jsonForScript } from "../html.js";
import { bodyOf, type RangedText } from "../ranged-text.js";
import type { WirePassage } from "../ui-message-stream/ui-message-chunk.js";
import { toPageConfig } from "./page-config.js";
import type { PageConfig } from "./page-data.js";
import { labelResults, type ResultLabel } from "./result-labels.js";
import type { PageLanguage } from "./strings/page-language.js";
import type { Visit } from "./visit.js";

/** An icon without a request of its own. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Ccircle cx='7' cy='7' r='4.5' fill='none' stroke='%23777' stroke-width='2'/%3E" +
  "%3Cpath d='m10.5 10.5 4 4' stroke='%23777' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

export interface PageAddresses {
  /** The paths of the files. */
  readonly script: string;
  /** Those that the script imports. */
  readonly preloads: readonly string[];
  readonly style: string;
}

export interface PageContent {
  /** As in the configuration of the page. */
  readonly visitorId: string | null;
  /** The query in the address; `null` if there is none. */
  readonly query: string | null;
  /** What it finds; `null` if nothing was searched. */
  readonly passages: readonly WirePassage[] | null;
  /** Why there are no results, for the visitor; `null` if there is no problem. */
  readonly problem: string | null;
}

/** The page as it is before its script starts, and without one. */
export function renderPage(visit: Visit, addresses: PageAddresses, content: PageContent): string {
  const config = toPageConfig(visit, content);
  const { language } = visit;
  const body = config.state === "sign-in" ? signIn(config, language) : searchView(config, content, language);
  return html`<!doctype html>
<html lang="${language.code}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${config.title}</title>
${describePage(visit, config)}
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${addresses.style}">
${addresses.preloads.map((path) => html`<link rel="modulepreload" href="${path}">`)}
<script type="application/json" id="lorebase">${jsonForScript(config)}</script>
<script type="module" src="${addresses.script}"></script>
</head>
<body>
<main id="app">
<header>
${config.logo && html`<img id="logo" src="${config.logo}" alt="">`}
<h1 dir="auto">${config.title}</h1>
</header>
${body}
</main>
</body>
</html>
`.text;
}

/** The page for a slug that doesn't exist. */
export function renderNotFound(addresses: PageAddresses, { code, direction, strings }: PageLanguage): string {
  const { pageNotFound, pageNotFoundText } = strings.server;
  return html`<!doctype html>
<html lang="${code}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${pageNotFound}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${addresses.style}">
</head>
<body>
<main id="app" class="not-found">
<h1>${pageNotFound}</h1>
<p>${pageNotFoundText}</p>
</main>
</body>
</html>
`.text;
}

/** For search engines, which leave out a protected page, and link previews, which show its title and Open Graph fields. */
function describePage({ settings, url }: Visit, { title, welcomeMessage }: PageConfig): Html {
  const { ogTitle, ogDescription, ogImage } = settings;
  const description = ogDescription ?? welcomeMessage;
  return html`${settings.protected && html`<meta name="robots" content="noindex">`}
${description && html`<meta name="description" content="${description}">`}
<meta property="og:type" content="website">
<meta property="og:url" content="${url.href}">
<meta property="og:title" content="${ogTitle ?? title}">
${description && html`<meta property="og:description" content="${description}">`}
${ogImage && html`<meta property="og:image" content="${ogImage}">`}
<meta name="twitter:card" content="${ogImage ? "summary_large_image" : "summary"}">`;
}

function signIn({ canSignIn }: PageConfig, { strings: { client, server } }: PageLanguage): Html {
  if (!canSignIn) return html`<p id="sign-in">${client.pageIsProtected}</p>`;
  return html`<form id="sign-in">
<p>${client.enterEmail}</p>
<label for="email">${client.emailAddress}</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<button type="submit" disabled>${client.sendCode}</button>
<noscript><p>${server.signingInNeedsScript}</p></noscript>
</form>`;
}

function searchView(config: PageConfig, content: PageContent, language: PageLanguage): Html {
  const { client, server } = language.strings;
  const { searchEnabled } = config;
  const examples = searchEnabled ? config.exampleSearchQueries : [];
  return html`${config.welcomeMessage && html`<p id="welcome" dir="auto">${config.welcomeMessage}</p>`}
<form id="search" role="search" action="${config.base}" method="get">
<label for="q">${searchEnabled ? client.searchDocuments : server.askDocuments}</label>
<input id="q" name="q" type="search" dir="auto" autocomplete="off" maxlength="${MAX_QUERY_LENGTH}"
value="${config.query ?? ""}">
<button type="submit">${searchEnabled ? client.search : client.ask}</button>
</form>
${!searchEnabled && html`<noscript><p>${server.askingNeedsScript}</p></noscript>`}
${
  content.query === null &&
  examples.length > 0 &&
  html`<ul id="examples">${examples.map((query) => html`<li><a href="${linkTo(config, query)}" dir="auto">${query}</a></li>`)}</ul>`
}
${content.problem && html`<p id="problem" role="alert">${content.problem}</p>`}
${content.passages && results(content.passages, language)}`;
}

function linkTo({ base }: PageConfig, query: string): string {
  return `${base}?${new URLSearchParams({ q: query })}`;
}

function results(passages: readonly WirePassage[], { code, strings: { client, server } }: PageLanguage): Html {
  if (passages.length === 0) return html`<p id="results">${server.nothingFound}</p>`;
  const labels = labelResults(passages, { locale: code, strings: client });
  return html`<section id="results" aria-labelledby="results-heading">
<h2 id="results-heading">${client.results}</h2>
<ol>${labels.map((label, index) => html`<li>${result(passages[index]!, label)}</li>`)}</ol>
</section>`;
}

function result({ text, highlights, mediaType }: WirePassage, { title, place }: ResultLabel): Html {
  return html`<article>
<h3 dir="auto">${title}</h3>
${place && html`<p class="place" dir="auto">${place}</p>`}
<p class="text" dir="auto">${markRanges(bodyOf({ text, ranges: highlights }, mediaType))}</p>
</article>`;
}

function markRanges({ text, ranges }: RangedText): readonly Html[] {
  const parts: Html[] = [];
  let end = 0;
  for (const range of ranges) {
    parts.push(html`${text.slice(end, range.start)}<mark>${text.slice(range.start, range.end)}</mark>`);
    end = range.end;
  }
  return [...parts, html`${text.slice(end)}`];
}
