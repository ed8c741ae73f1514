import { page } from "./page.js";

export const docsTabs = page("documentation with tab panels and details", {
  article: `
    Install the agent
    The agent runs beside your service and forwards its traces.
    Linux
    macOS
    curl -sSf https://get.example/agent | sh
    The script installs to /usr/local/bin and needs root.
    brew install example-agent
    Homebrew builds are signed since version 2.1.
    Advanced: install without network access
    Download the archive on another machine and verify its signature.
    Copy it to the target and unpack it under /opt.
    tip
    Run the agent with --check before you enable the service.
    Verify the installation
    example-agent status
    It prints the address that it listens on and the number of spans sent.`,
  navigation: `
    Skip to main content of the docs
    Example Docs
    Community
    Release blog
    Introduction to tracing
    Getting started quickly
    Sampling rules
    Home of documentation
    Version: 2.x
    Edit this page
    Last updated on Feb 3, 2026
    Previous: Introduction
    Next: Sampling
    On this page you find
    Stack Overflow tag
    Copyright © 2026 Example Agent Project. Built with a generator.`,
  markup: `<!doctype html><html lang="en" class="docs-wrapper"><head><title>Install the agent | Example Docs</title></head><body><div id="__docs">
<div role="region" aria-label="Skip"><a class="skipToContent_fXgn" href="#__skip">{n}</a></div>
<nav aria-label="Main" class="navbar navbar--fixed-top"><div class="navbar__inner"><div class="navbar__items"><a class="navbar__brand" href="/"><b class="navbar__title">{n}</b></a><a class="navbar__item navbar__link" href="/community">{n}</a><a class="navbar__item navbar__link" href="/blog">{n}</a></div></div></nav>
<div id="__skip" class="main-wrapper"><div class="docsWrapper_hBAB"><div class="docRoot_UBD9">
<aside class="theme-doc-sidebar-container"><nav aria-label="Docs sidebar" class="menu thin-scrollbar"><ul class="theme-doc-sidebar-menu menu__list"><li><a class="menu__link" href="/intro">{n}</a></li><li><a class="menu__link" href="/start">{n}</a></li><li><a class="menu__link" href="/sampling">{n}</a></li></ul></nav></aside>
<main class="docMainContainer_TBSr"><div class="container"><div class="row"><div class="col docItemCol_VOVn"><div class="docItemContainer_Djhp"><article>
<nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li><a href="/">{n}</a></li></ul></nav><span class="theme-doc-version-badge badge badge--secondary">{n}</span>
<div class="theme-doc-markdown markdown"><header><h1>{a}</h1></header><p>{a}</p>
<div class="tabs-container"><ul role="tablist" class="tabs"><li role="tab" class="tabs__item">{a}</li><li role="tab" class="tabs__item">{a}</li></ul><div><div role="tabpanel"><div class="language-bash codeBlockContainer"><pre class="prism-code language-bash"><code>{a}</code></pre></div><p>{a}</p></div><div role="tabpanel" hidden=""><pre class="prism-code language-bash"><code>{a}</code></pre><p>{a}</p></div></div></div>
<details class="details"><summary>{a}</summary><div><p>{a}</p><p>{a}</p></div></details>
<div class="theme-admonition theme-admonition-tip alert alert--success"><div class="admonitionHeading">{a}</div><div class="admonitionContent"><p>{a}</p></div></div>
<h2 class="anchor" id="verify">{a}<a href="#verify" class="hash-link">​</a></h2><pre><code>{a}</code></pre><p>{a}</p></div>
<footer class="theme-doc-footer"><div class="row"><div class="col"><a href="https://git.example/edit" class="theme-edit-this-page">{n}</a></div><div class="col lastUpdated_vwxv">{n}</div></div></footer></article>
<nav class="pagination-nav" aria-label="Docs pages"><a class="pagination-nav__link" href="/intro">{n}</a><a class="pagination-nav__link" href="/sampling">{n}</a></nav></div></div>
<div class="col col--3"><div class="tableOfContents_bqdL">{n}</div></div></div></div></main></div></div></div>
<footer class="theme-layout-footer footer footer--dark"><div class="container"><ul class="footer__items"><li><a href="https://so.example">{n}</a></li></ul><div class="footer__copyright">{n}</div></div></footer></div></body></html>`,
});
