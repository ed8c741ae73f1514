import { page } from "./page.js";

export const newsletterPost = page("newsletter platform's post with subscription boxes", {
  article: `
    The case for boring batteries
    Iron and air will not win a race, but they might run a grid.
    A lithium cell stores energy for hours, and a winter lull lasts for weeks.
    Iron-air cells rust while they discharge and are turned back to iron while they charge.
    They are heavy, slow and roughly a tenth of the price per kilowatt-hour.
    How a week of wind gets saved
    The first plant in Minnesota holds a hundred hours at full power.
    Its efficiency is poor: less than half of what goes in comes out.
    That matters less than you think when the surplus would have been curtailed.
    What could go wrong
    Electrolyte dries out in hot climates, which the pilot is meant to measure.
    Next week I will look at what the same money buys in transmission lines.`,
  navigation: `
    Grid Notes
    Subscribe to continue
    Thanks for reading Grid Notes! Subscribe for free to receive new posts.
    Type your email…
    Share this post
    Copy link to post
    Leave a first comment
    Discussion about this post
    No comments yet, be kind
    Top posts
    Who pays for the last power line?
    The lake that became a battery
    Ready for more?
    Collection notice
    Start your own newsletter`,
  markup: `<!doctype html><html lang="en"><head><title>The case for boring batteries</title></head><body class="body">
<div id="entry"><div id="main" class="main typography use-theme-bg"><div class="main-menu"><div class="topbar"><a href="/" class="nav-title">{n}</a><a class="button primary" href="/subscribe">{n}</a></div></div>
<div class="single-post-container"><div class="container"><div class="single-post"><article class="typography newsletter-post post">
<div class="post-header"><h1 class="post-title">{a}</h1><h3 class="subtitle">{a}</h3></div>
<div class="available-content"><div dir="auto" class="body markup"><p>{a:link}</p><p>{a}</p>
<div class="subscription-widget-wrap"><div class="subscription-widget"><div class="preamble"><p class="cta-caption">{n}</p></div><form class="subscription-widget-subscribe"><label>{n}</label></form></div></div>
<p>{a}</p><h2>{a}</h2><p>{a}</p><p>{a}</p><p>{a}</p><h2>{a}</h2><p>{a}</p><p>{a}</p>
<p class="button-wrapper"><a class="button primary" href="/share"><span>{n}</span></a></p></div></div>
<div class="post-footer"><a href="#" class="post-ufi-button">{n}</a><a href="/comments" class="post-ufi-button">{n}</a></div></article></div></div>
<div class="visibility-check"></div><div class="single-post-section comments-section"><div class="container"><h4>{n}</h4><p>{n}</p></div></div>
<div class="portable-archive"><h4>{n}</h4><div class="portable-archive-list"><div><a href="/1">{n}</a></div><div><a href="/2">{n}</a></div></div></div></div>
<div class="footer-wrap publication-footer"><div class="footer-inner"><p>{n}</p><a href="/notice">{n}</a><a href="https://platform.example/start">{n}</a></div></div></div></div>
</body></html>`,
});
