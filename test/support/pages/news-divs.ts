import { page } from "./page.js";

export const newsDivs = page("news article of divs alone", {
  article: `
    Glacier survey finds lakes growing twice as fast
    Updated 14 March 2026, 09:40
    A survey of 1,340 glacial lakes shows that their combined area has doubled since 1998.
    The researchers compared aerial photographs with satellite images taken every five days.
    Lakes that are dammed by loose rubble are the most dangerous, according to the report.
    When such a dam gives way, a flood can reach villages within twenty minutes.
    In the past decade eleven valleys have installed warning sirens.
    The team recommends lowering the water level of 23 lakes before the next melting season.
    Two of the lakes lie above hydropower stations that were built in the seventies.
    The full data set has been published under an open licence.`,
  navigation: `
    Home page
    World news
    Science desk
    Weather and traffic
    Today's paper
    Subscribe now and save 40%
    Advertisement
    You may also like
    Ten walks with a view of the ice
    Why mountain huts are closing early
    The quiet return of the ibex
    Tags: glaciers
    Recommended by our partners
    This simple trick lowers your heating bill
    Seven cars that hold their value
    Leave a comment
    Your email address will not be published.
    Follow us on social media
    Contact the newsroom
    Privacy settings
    Copyright Alpine Daily 2026`,
  markup: `<html><head><title>Glacier survey | Alpine Daily</title></head><body>
<div id="wrap">
<div id="top"><div class="logo"><a href="/"><img src="l.png" alt=""></a></div>
<div class="menu"><div class="item"><a href="/">{n}</a></div><div class="item"><a href="/world">{n}</a></div><div class="item"><a href="/science">{n}</a></div><div class="item"><a href="/weather">{n}</a></div><div class="item"><a href="/paper">{n}</a></div></div></div>
<div class="promo"><a href="/subscribe">{n}</a></div>
<div id="cols">
<div id="left">
<div class="story">
<div class="headline">{a}</div><div class="date">{a}</div>
<div class="text">{a:link}</div><div class="text">{a} {a}</div>
<div class="ad"><span>{n}</span></div>
<div class="text">{a}</div><div class="text">{a} {a}</div><div class="text">{a} {a}</div>
</div>
<div class="also"><div class="hd">{n}</div><div class="t"><a href="/1">{n}</a></div><div class="t"><a href="/2">{n}</a></div><div class="t"><a href="/3">{n}</a></div></div>
<div class="tags"><a href="/t/glaciers">{n}</a></div>
<div class="outbrain"><div class="hd">{n}</div><a href="https://ads.example/1">{n}</a><a href="https://ads.example/2">{n}</a></div>
<div class="respond"><div>{n}</div><div>{n}</div></div>
</div>
<div id="right"><div class="box"><a href="/social">{n}</a></div></div>
</div>
<div id="bottom"><a href="/contact">{n}</a> | <a href="/privacy">{n}</a> | {n}</div>
</div></body></html>`,
});
