import { page } from "./page.js";

export const faq = page("frequent questions in an accordion", {
  article: `
    Frequently asked questions
    How do I reset my meter?
    Hold the grey key for five seconds until the display goes dark.
    Why is my reading estimated?
    We could not reach your meter for more than sixty days.
    Send us a photograph and we will correct the bill.
    Can I change my tariff during the year?
    Yes, once, with a notice of one month.
    Who repairs the cable to my house?
    Everything up to the fuse box belongs to the network operator.
    What does the red light mean?
    Your supply is limited to 1,000 watts.`,
  navigation: `
    Stadtwerke customer portal
    My account
    Tariffs and prices
    Outage map
    Still have questions?
    Chat with our assistant Volta
    Call us free of charge
    Popular topics
    Moving house
    Solar on your roof
    Careers at the utility
    Legal information
    This website uses cookies. You can change your choice at any time.`,
  markup: `<!doctype html><html lang="en"><head><title>FAQ</title></head><body>
<header class="page-header"><a class="logo" href="/">{n}</a><nav><ul><li><a href="/account">{n}</a></li><li><a href="/tariffs">{n}</a></li><li><a href="/outages">{n}</a></li></ul></nav></header>
<main class="page-main"><h1>{a}</h1><div class="accordion" id="accordion">
<div class="accordion-item"><h3><a data-toggle="collapse" href="#q1">{a}</a></h3><div id="q1" class="collapse" aria-hidden="true"><p>{a}</p></div></div>
<div class="accordion-item"><h3><a data-toggle="collapse" href="#q2">{a}</a></h3><div id="q2" class="collapse" style="display:none"><p>{a}</p><p>{a}</p></div></div>
<details><summary>{a}</summary><p>{a}</p></details><details open><summary>{a}</summary><p>{a}</p></details><details><summary>{a}</summary>{a}</details></div>
<div class="contact-teaser"><h2>{n}</h2><a href="/chat">{n}</a><a href="tel:0800">{n}</a></div></main>
<aside class="sidebar"><h2>{n}</h2><ul><li><a href="/moving">{n}</a></li><li><a href="/solar">{n}</a></li></ul></aside>
<footer class="page-footer"><a href="/jobs">{n}</a><a href="/legal">{n}</a></footer>
<div class="cookiebar" role="alertdialog">{n}</div></body></html>`,
});
