import { page } from "./page.js";

export const terms = page("terms of service with a menu of their chapters", {
  article: `
    Terms of service
    Effective 1 April 2026
    1. Who we are
    These terms are a contract between you and Kestrel Maps Ltd.
    2. Your account
    You must keep your password secret.
    You must tell us within 48 hours of any misuse.
    An account may be closed by either side with a notice of 30 days.
    3. Cookies and similar technologies
    We set one cookie that keeps you signed in, and none for advertising.
    4. Liability
    We are liable without limit for intent and gross negligence.
    Maps may be out of date; never rely on them at sea.
    5. Changes
    We announce changes by email six weeks before they take effect.`,
  navigation: `
    Kestrel Maps start
    Download the app
    Business customers
    Policies overview
    Community guidelines
    Privacy statement of Kestrel
    Was this article helpful? 12 out of 30 found this helpful
    Return to top
    Recently viewed articles
    Related articles
    How to delete your account
    Submit a request
    Change language
    Powered by a help desk`,
  markup: `<!DOCTYPE html><html lang="en-US"><head><title>Terms of service</title></head><body>
<header class="header"><div class="logo"><a href="/">{n}</a></div><nav class="user-nav"><a href="/app">{n}</a><a href="/business">{n}</a></nav></header>
<main role="main"><div class="container-divider"></div><div class="container"><div class="article-container" id="article-container"><section class="section-articles article-sidebar"><h3>{n}</h3><ul><li><a href="/guidelines">{n}</a></li><li><a href="/privacy">{n}</a></li></ul></section>
<article class="article"><header class="article-header"><h1 class="article-title">{a}</h1></header><section class="article-info"><div class="article-content"><div class="article-body"><p><em>{a}</em></p><h2>{a}</h2><p>{a:b}</p><h2>{a}</h2><ol><li>{a}</li><li>{a}</li><li>{a}</li></ol><h2 id="cookies">{a}</h2><p class="cookies">{a}</p><h2>{a}</h2><p>{a}</p><p>{a}</p><h2>{a}</h2><p>{a}</p></div></div></section>
<footer><div class="article-votes"><span>{n}</span></div><div class="article-return-to-top"><a href="#article-container">{n}</a></div></footer>
<div class="article-relatives"><section class="recent-articles"><h3>{n}</h3></section><section class="related-articles"><h3>{n}</h3><ul><li><a href="/delete">{n}</a></li></ul></section></div></article></div></div></main>
<footer class="footer"><div class="footer-inner"><a href="/request">{n}</a><span>{n}</span><span>{n}</span></div></footer></body></html>`,
});
