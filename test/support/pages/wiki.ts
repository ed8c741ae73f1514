import { page } from "./page.js";

export const wiki = page("encyclopedic wiki", {
  article: `
    Sand lance
    A sand lance is a small fish of the family Ammodytidae.
    Despite the name it is no relative of the true eels.
    Sand lances bury themselves in loose sand to hide from predators and strong currents.
    Family
    Ammodytidae
    Length
    20 to 35 cm
    Distribution
    Most species live in shallow seas of the northern hemisphere.
    The lesser sand lance is the commonest fish in many parts of the North Sea.
    Importance
    Puffins, terns and cod depend on them in the breeding season.
    The fishery of Denmark landed 610,000 tonnes in 1997 and far less since.
    Robards, M. (1999). Sand Lance: A Review of Biology. Pacific Northwest Research Station.`,
  navigation: `
    Jump to content
    Main menu
    Random article
    Donate to the foundation
    Create account
    Article tab
    Talk tab
    View history
    What links here
    Related changes
    Cite this page
    From the free encyclopedia
    edit section
    v t e Forage fish
    Anchovy Capelin Herring Krill
    Categories: Ammodytidae
    This page was last edited on 9 May 2026, at 11:02 (UTC).
    Text is available under a share-alike licence.
    Privacy policy
    Deutsch Français Norsk`,
  markup: `<!DOCTYPE html><html class="client-nojs" lang="en"><head><title>Sand lance - Encyclopedia</title></head><body class="mediawiki ltr">
<a class="mw-jump-link" href="#bodyContent">{n}</a><div class="vector-header-container"><header class="vector-header mw-header"><div class="vector-header-start"><nav class="vector-main-menu-landmark" aria-label="Site"><div class="vector-menu-heading">{n}</div><ul><li><a href="/random">{n}</a></li></ul></nav></div><div><a href="/donate">{n}</a><a href="/create">{n}</a></div></header></div>
<div class="mw-page-container"><div class="mw-content-container"><main id="content" class="mw-body">
<header class="mw-body-header"><h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">{a}</span></h1></header>
<div class="vector-page-toolbar"><nav aria-label="Namespaces"><ul><li><a href="/a">{n}</a></li><li><a href="/t">{n}</a></li></ul></nav><div class="vector-page-tools-landmark"><ul><li><a href="/h">{n}</a></li><li><a href="/l">{n}</a></li><li><a href="/r">{n}</a></li><li><a href="/c">{n}</a></li></ul></div></div>
<div id="bodyContent" class="vector-body"><div id="siteSub" class="noprint">{n}</div><div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">
<p>{a:link} {a:link}</p><p>{a}</p><table class="infobox biota"><tbody><tr><th>{a}</th><td>{a}</td></tr><tr><th>{a}</th><td>{a}</td></tr></tbody></table>
<div class="mw-heading mw-heading2"><h2 id="Distribution">{a}</h2><span class="mw-editsection"><span>[</span><a href="/edit">{n}</a><span>]</span></span></div><p>{a:link}<sup class="reference"><a href="#cite-1">[1]</a></sup></p><p>{a:link}</p>
<div class="mw-heading mw-heading2"><h2>{a}</h2></div><p>{a:link}</p><p>{a}</p><div class="reflist"><ol class="references"><li id="cite-1"><span class="mw-cite-backlink"><a href="#ref-1">^</a></span> <span class="reference-text">{a}</span></li></ol></div>
<div class="navbox-styles"></div><div role="navigation" class="navbox" aria-labelledby="Forage"><table class="nowraplinks navbox-inner"><tbody><tr><th class="navbox-title">{n}</th></tr><tr><td class="navbox-list"><div>{n}</div></td></tr></tbody></table></div></div></div>
<div id="catlinks" class="catlinks"><div id="mw-normal-catlinks"><a href="/cat">{n}</a></div></div></div></main>
</div><div class="mw-footer-container"><footer id="footer" class="mw-footer"><ul id="footer-info"><li>{n}</li><li>{n}</li></ul><ul id="footer-places"><li><a href="/privacy">{n}</a></li></ul></footer></div></div>
<div id="p-lang" class="interlanguage">{n}</div></body></html>`,
});
