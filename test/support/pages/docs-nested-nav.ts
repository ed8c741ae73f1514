import { page } from "./page.js";

export const docsNestedNav = page("documentation with nested menus and feedback", {
  article: `
    Backups and restore
    Every backup is a plain directory that can be copied with the tools you have.
    Full and incremental backups
    An incremental backup holds only what changed since the last full one.
    Warning
    Never edit a backup by hand: its manifest holds a checksum of each file.
    Run store backup --full once a week
    Run store backup every night
    Copy the directory to another machine
    How long does a restore take?
    About one minute for every ten gigabytes on an SSD.
    Option
    Meaning
    --full
    copies everything, whether or not it changed
    Restores are resumed where they stopped.`,
  navigation: `
    We use cookies to understand how the documentation is used.
    Accept cookies
    Store documentation
    Type to start searching
    Home section
    User guide
    Installing the store
    Configuring access
    Maintenance chapter
    Upgrade notes
    Contributing to store
    Table of contents
    Jump to incremental
    Jump to restore
    Was this page helpful?
    Thanks for your feedback!
    Made with a documentation theme
    Previous chapter: Access
    Next chapter: Upgrades`,
  markup: `<!doctype html><html lang="en" class="no-js"><head><title>Backups and restore - Store documentation</title></head><body dir="ltr">
<div data-md-component="consent"><aside class="md-consent"><div class="md-consent__inner"><p>{n}</p><span>{n}</span></div></aside></div>
<header class="md-header"><nav class="md-header__inner md-grid" aria-label="Header"><a class="md-header__button md-logo" href="..">{n}</a><div class="md-search" role="search"><label class="md-search__label">{n}</label></div></nav></header>
<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid">
<div class="md-sidebar md-sidebar--primary"><nav class="md-nav md-nav--primary" aria-label="Navigation"><ul class="md-nav__list"><li class="md-nav__item"><a class="md-nav__link" href="/">{n}</a></li><li class="md-nav__item md-nav__item--nested"><label class="md-nav__link">{n}</label><nav class="md-nav"><ul><li><a href="/install">{n}</a></li><li><a href="/access">{n}</a></li><li><label>{n}</label><nav class="md-nav"><ul><li><a href="/up">{n}</a></li></ul></nav></li></ul></nav></li><li><a href="/contrib">{n}</a></li></ul></nav></div>
<div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary" aria-label="Table of contents"><label class="md-nav__title">{n}</label><ul><li><a href="#inc">{n}</a></li><li><a href="#res">{n}</a></li></ul></nav></div>
<div class="md-content"><article class="md-content__inner md-typeset"><h1>{a}</h1><p>{a}</p><h2 id="inc">{a}</h2><p>{a:link}</p><div class="admonition warning"><p class="admonition-title">{a}</p><p>{a}</p></div><ol><li>{a}</li><li>{a}</li><li>{a}</li></ol><details class="question"><summary>{a}</summary><p>{a}</p></details><div class="md-typeset__scrollwrap"><div class="md-typeset__table"><table><thead><tr><th>{a}</th><th>{a}</th></tr></thead><tbody><tr><td>{a}</td><td>{a}</td></tr></tbody></table></div></div><p>{a}</p>
<form class="md-feedback"><fieldset><legend class="md-feedback__title">{n}</legend><div class="md-feedback__note">{n}</div></fieldset></form></article></div></div></main>
<footer class="md-footer"><div class="md-footer-meta"><div class="md-copyright">{n}</div></div><nav class="md-footer__inner" aria-label="Footer"><a href="/access">{n}</a><a href="/up">{n}</a></nav></footer></div></body></html>`,
});
