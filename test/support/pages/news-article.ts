import { page } from "./page.js";

export const newsArticle = page("news article", {
  article: `
    City council approves tram extension to the harbour
    The vote ends nine years of debate over how the former docks should be reached.
    By Maren Okafor
    Passengers wait at the last stop before the docks, where buses take over today.
    The council voted 31 to 14 on Tuesday night to extend line 7 by 4.2 kilometres.
    Construction is to begin in spring and will cost an estimated 212 million.
    Opponents had argued that an express bus would do the same for a third of the price.
    “We are building for the people who will live there in 2050,” said the mayor.
    What happens next
    Engineers will survey the old rail bed in January before the tenders are published.
    Three residents' groups have announced that they will go to court.
    Until the line opens, buses 12 and 88 will run every six minutes at peak times.
    The harbour authority expects 9,000 new homes in the district within a decade.`,
  navigation: `
    Skip to main content
    We value your privacy
    We and our 843 partners store and access information on a device, such as cookies.
    Accept all
    Manage options
    Politics
    Business
    Climate
    Sign in to your account
    Share on Facebook
    Copy link
    Send by email
    More on this story
    Harbour homes: how many will be affordable?
    Opinion: a bus would have done
    Most read
    Storm closes two bridges for the weekend
    Museum opens its roof to visitors
    Get the morning briefing in your inbox
    NamespaceResolver your email address
    Comments are closed on this article.
    Terms of use
    Advertise with us
    © 2026 The Harbour Courier. All rights reserved.`,
  markup: `<!doctype html>
<html lang="en"><head><title>City council approves tram extension - The Harbour Courier</title></head>
<body>
<a class="skip" href="#content">{n}</a>
<div id="onetrust-consent-sdk"><div role="dialog" aria-label="Privacy"><h2>{n}</h2><p>{n}</p>
<button>Accept</button><a href="#" class="btn">{n}</a> <a href="#" class="btn">{n}</a></div></div>
<header><div class="logo"><a href="/">The Harbour Courier</a></div>
<nav><ul><li><a href="/politics">{n}</a></li><li><a href="/business">{n}</a></li><li><a href="/climate">{n}</a></li></ul></nav>
<a href="/login">{n}</a></header>
<main id="content"><article>
<header><h1>{a}</h1><p class="standfirst">{a}</p><p class="byline">{a}</p></header>
<div class="share-tools"><ul><li><a href="https://social.example/f">{n}</a></li><li><a href="#">{n}</a></li><li><a href="mailto:">{n}</a></li></ul></div>
<figure><img src="/tram.jpg" alt=""><figcaption>{a}</figcaption></figure>
<div class="article-body"><p>{a:link}</p><p>{a}</p><p>{a}</p><blockquote><p>{a}</p></blockquote>
<aside class="related-inline"><h3>{n}</h3><ul><li><a href="/homes">{n}</a></li><li><a href="/bus">{n}</a></li></ul></aside>
<h2>{a}</h2><p>{a}</p><p>{a:link}</p><p>{a}</p><p>{a}</p></div>
</article>
<aside><h2>{n}</h2><ol><li><a href="/storm">{n}</a></li><li><a href="/museum">{n}</a></li></ol></aside>
<section class="newsletter-signup"><h2>{n}</h2><form><label>{n}</label><input type="email"><button>Subscribe</button></form></section>
<section id="comments"><p>{n}</p></section>
</main>
<footer><ul><li><a href="/terms">{n}</a></li><li><a href="/ads">{n}</a></li></ul><p>{n}</p></footer>
</body></html>`,
});
