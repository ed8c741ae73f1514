import { page } from "./page.js";

export const landing = page("landing page of a product", {
  article: `
    Invoices that write themselves
    Connect your calendar, and every meeting becomes a line on the right invoice.
    Built for people who bill by the hour
    Time tracking without timers
    We read the calendar that you keep anyway.
    Reminders that stay polite
    Three tones, from friendly to firm, sent when you choose.
    One click for your accountant
    Export in the format of 14 bookkeeping programs.
    “I get paid nine days sooner than last year.”
    Ida Brandt, illustrator
    Simple prices
    Solo
    €9 per month, up to 20 invoices
    Studio
    €29 per month, five people, no limits
    Can I cancel at any time?
    Yes, and you can take all of your data with you.`,
  navigation: `
    Penny logo home
    Features overview
    Customer stories
    Sign in here
    Try it for free
    Privacy matters to us: choose which cookies we may set.
    Reject all
    Product updates
    Help and support
    Press kit
    Imprint and terms
    © 2026 Penny Software. Made with care.`,
  markup: `<!doctype html><html lang="en"><head><title>Penny - invoices that write themselves</title></head><body class="antialiased">
<header class="sticky top-0 z-50"><div class="max-w-7xl flex"><a href="/" class="flex">{n}</a><nav class="hidden md:flex"><a href="#features">{n}</a><a href="/stories">{n}</a></nav><div class="flex"><a href="/signin">{n}</a><a href="/signup" class="rounded-full">{n}</a></div></div></header>
<main><section class="py-24"><h1 class="text-6xl">{a}</h1><p class="text-xl">{a}</p></section>
<section id="features" class="bg-slate-50"><h2>{a}</h2><div class="grid grid-cols-3"><div><h3>{a}</h3><p>{a}</p></div><div><h3>{a}</h3><p>{a}</p></div><div><h3>{a}</h3><p>{a}</p></div></div></section>
<section class="testimonials"><figure><blockquote><p>{a}</p></blockquote><figcaption>{a}</figcaption></figure></section>
<section id="pricing"><h2>{a}</h2><div class="grid"><div><h3>{a}</h3><p>{a}</p></div><div><h3>{a}</h3><p>{a}</p></div></div></section>
<section id="faq"><details><summary>{a}</summary><p>{a}</p></details></section></main>
<div class="fixed bottom-0" id="CybotCookiebotDialog"><p>{n}</p><a href="#">{n}</a></div>
<footer class="border-t"><div class="grid"><ul><li><a href="/updates">{n}</a></li><li><a href="/help">{n}</a></li><li><a href="/press">{n}</a></li><li><a href="/terms">{n}</a></li></ul><p>{n}</p></div></footer></body></html>`,
});
