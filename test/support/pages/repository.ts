import { page } from "./page.js";

export const repository = page("source repository with its description", {
  article: `
    tidepool
    A small library that predicts tides from harmonic constituents.
    Installation
    npm install tidepool
    Usage
    const tide = predict(station, new Date());
    The result is the height in metres above chart datum.
    Accuracy
    Predictions are within 4 cm of the official tables for 120 stations.
    Storm surges are not part of the astronomical tide and therefore not predicted.
    License
    Released under the ISC license.`,
  navigation: `
    Skip to content of the page
    Product and solutions
    Pricing for teams
    Sign up today
    Pull requests 3
    Actions runs
    Notifications
    Fork 41
    Star 612
    Go to file
    Name Last commit message Last commit date
    src: fix rounding of seconds
    package.json: bump version
    About the project
    Report repository
    Releases 14
    Contributors 6
    Terms Privacy Security
    You can't perform that action at this time.`,
  markup: `<!DOCTYPE html><html lang="en"><head><title>tidepool</title></head><body class="logged-out env-production">
<div class="position-relative"><a href="#start-of-content" class="show-on-focus js-skip-to-content">{n}</a><header class="HeaderMktg header-logged-out" role="banner"><nav class="HeaderMenu-nav" aria-label="Global"><ul><li><a href="/product">{n}</a></li><li><a href="/pricing">{n}</a></li></ul></nav><a href="/join">{n}</a></header></div>
<div class="application-main"><main id="js-repo-pjax-container"><div id="repository-container-header"><nav class="js-repo-nav UnderlineNav" aria-label="Repository"><ul class="UnderlineNav-body"><li><a href="/pulls">{n}</a></li><li><a href="/actions">{n}</a></li></ul></nav><ul class="pagehead-actions"><li><a href="/n">{n}</a></li><li><a href="/f">{n}</a></li><li><a href="/s">{n}</a></li></ul></div>
<div class="Layout Layout--sidebarPosition-end"><div class="Layout-main"><div class="file-navigation"><a href="/find">{n}</a></div>
<table aria-labelledby="folders-and-files" class="Table-files"><thead><tr><th>{n}</th></tr></thead><tbody><tr class="react-directory-row"><td><a href="/src">src</a></td><td><a href="/c/1">{n}</a></td></tr><tr class="react-directory-row"><td><a href="/p">package.json</a></td><td><a href="/c/2">{n}</a></td></tr></tbody></table>
<div class="Box readme"><article class="markdown-body entry-content container-lg" itemprop="text"><h1 class="heading-element">{a}</h1><p>{a}</p><h2>{a}</h2><pre>{a}</pre><h2>{a}</h2><pre>{a}</pre><p>{a}</p><h2>{a}</h2><p>{a:link}</p><p>{a}</p><h2>{a}</h2><p>{a}</p></article></div></div>
<div class="Layout-sidebar"><div class="BorderGrid"><h2>{n}</h2><a href="/report">{n}</a></div><div class="BorderGrid-row"><h2><a href="/rel">{n}</a></h2></div><div class="BorderGrid-row"><h2><a href="/con">{n}</a></h2></div></div></div></main></div>
<footer class="footer" role="contentinfo"><nav aria-label="Footer">{n}</nav></footer><div id="ajax-error-message" class="flash flash-error" hidden>{n}</div></body></html>`,
});
