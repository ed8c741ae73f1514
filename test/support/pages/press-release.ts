import { page } from "./page.js";

export const pressRelease = page("press release parted by line breaks", {
  article: `
    Nordlys Shipping orders four ammonia-fuelled ferries
    BERGEN, 4 June 2026. Nordlys Shipping has ordered four ferries that run on green ammonia.
    The ships will carry 180 cars each and enter service from 2029.
    “Ammonia is difficult, but it is the only fuel that we can make at our own berths,” said chief executive Tuva Lien.
    The yard in Ulsteinvik will build the hulls, and the engines come from Finland.
    The order is worth 3.1 billion kroner and includes an option for two more ships.
    A safety case was filed with the maritime authority in March.
    About Nordlys Shipping
    Nordlys Shipping runs 31 ferries on the coast of Norway and employs 1,900 people.
    Press contact: Aksel Moe, aksel@nordlys.example`,
  navigation: `
    Investors
    Media centre
    Our fleet
    Sustainability report
    Search the site
    Back to all releases
    Download as PDF
    Email alerts
    Share price delayed by 15 minutes
    Whistleblowing channel
    Modern slavery statement
    Sitemap of the group
    Copyright Nordlys Shipping ASA`,
  markup: `<html><head><title>Press release</title></head><body><div id="outer"><div class="hd"><div class="hd-links"><a href="/inv">{n}</a> <a href="/media">{n}</a> <a href="/fleet">{n}</a> <a href="/report">{n}</a></div><div class="srch">{n}</div></div>
<div id="middle"><div class="bc"><a href="/releases">{n}</a></div><div class="tools"><a href="/pdf">{n}</a><a href="/alerts">{n}</a></div>
<div class="pr"><span class="t1">{a}</span><br><br>{a} {a}<br><br>{a}<br><br>{a} {a}<br><br>{a}<br><br><b>{a}</b><br>{a}<br><br>{a}</div>
<div class="ticker">{n}</div></div>
<div class="ft"><table><tr><td><a href="/w">{n}</a></td><td><a href="/m">{n}</a></td><td><a href="/s">{n}</a></td></tr></table><div>{n}</div></div></div></body></html>`,
});
