import { page } from "./page.js";

export const changelog = page("changelog", {
  article: `
    Changelog
    All notable changes to the scheduler are listed here.
    4.2.0
    Released on 2 March 2026
    Jobs may be paused for a given time.
    The dashboard shows the queue of each worker.
    Fixed a leak of timers when a job was cancelled twice.
    4.1.3
    Released on 11 January 2026
    Cron expressions accept names of months.
    Dropped support for Ruby 2.7.
    4.1.2
    Security: tokens are compared in constant time.`,
  navigation: `
    Scheduler home
    Pricing plans
    Docs and guides
    Start free trial
    Subscribe to updates
    RSS feed
    Filter by product
    All updates
    Follow @scheduler for releases
    Product tour
    Company news
    Trust center
    SOC 2 compliant. Made in Ghent.
    We use cookies to improve your experience. By browsing you agree to our policy.`,
  markup: `<!doctype html><html lang="en"><head><title>Changelog - Scheduler</title></head><body>
<div class="navbar w-nav"><div class="navbar-container"><a href="/" class="brand w-nav-brand">{n}</a><div class="nav-menu w-nav-menu"><a href="/pricing" class="nav-link">{n}</a><a href="/docs" class="nav-link">{n}</a><a href="/trial" class="button">{n}</a></div></div></div>
<div class="page-wrapper"><div class="hero-small"><h1>{a}</h1><p>{a}</p><div class="subscribe-links"><a href="/sub">{n}</a> <a href="/rss">{n}</a></div></div>
<div class="filters"><span>{n}</span><a href="?all">{n}</a></div>
<div class="entries"><div class="entry"><div class="entry-meta"><h2><a href="#420">{a}</a></h2><span class="date">{a}</span></div><div class="rich-text w-richtext"><ul><li>{a}</li><li>{a}</li><li>{a}</li></ul></div></div>
<div class="entry"><div class="entry-meta"><h2><a href="#413">{a}</a></h2><span class="date">{a}</span></div><div class="rich-text w-richtext"><ul><li>{a:b}</li><li>{a}</li></ul></div></div>
<div class="entry"><h2><a href="#412">{a}</a></h2><ul><li>{a}</li></ul></div></div>
<div class="cta-strip"><a href="https://social.example/scheduler">{n}</a></div></div>
<div class="footer"><div class="footer-grid"><a href="/tour" class="footer-link">{n}</a><a href="/news" class="footer-link">{n}</a><a href="/trust" class="footer-link">{n}</a></div><div class="footer-bottom">{n}</div></div>
<div class="cookie-notice" style="position:fixed"><span>{n}</span></div></body></html>`,
});
