import { page } from "./page.js";

export const docsToctree = page("documentation with a tree of contents beside it", {
  article: `
    Configuring connections
    A pool keeps connections open so that a request need not wait for a handshake.
    Pool size
    The size of the pool is the most that are open at a time.
    pool = Pool("db.example", size=20)
    Setting
    Default
    size
    10
    idle_timeout
    300 seconds
    Note
    A pool that is larger than the server allows fails at start.
    class Pool(host, size=10)
    A set of connections to one host.
    size – how many connections may be open
    Raises ConnectionError where the host cannot be reached.
    Changed in version 3.2: sizes of zero are refused.`,
  navigation: `
    index
    Next topic: Transactions
    previous chapter
    connectkit 3.4 documentation
    Table of Contents
    Getting started with connectkit
    Installation guide
    Transactions and savepoints
    Migrating from version 2
    This Page
    Show Source
    Quick search
    Copyright 2019-2026, the connectkit authors
    Created using a documentation generator`,
  markup: `<!DOCTYPE html><html lang="en"><head><title>Configuring connections &#8212; connectkit 3.4 documentation</title></head><body>
<div class="related" role="navigation" aria-label="Related"><h3>Navigation</h3><ul><li class="right"><a href="genindex.html">{n}</a></li><li class="right"><a href="tx.html">{n}</a> |</li><li class="right"><a href="start.html">{n}</a> |</li><li class="nav-item"><a href="index.html">{n}</a> &#187;</li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
<section id="configuring"><h1>{a}<a class="headerlink" href="#configuring" title="Link to this heading">¶</a></h1><p>{a}</p>
<section id="pool-size"><h2>{a}<a class="headerlink" href="#pool-size">¶</a></h2><p>{a:link}</p>
<div class="highlight-python notranslate"><div class="highlight"><pre>{a}</pre></div></div>
<table class="docutils"><thead><tr><th>{a}</th><th>{a}</th></tr></thead><tbody><tr><td>{a}</td><td>{a}</td></tr><tr><td>{a}</td><td>{a}</td></tr></tbody></table>
<div class="admonition note"><p class="admonition-title">{a}</p><p>{a}</p></div>
<dl class="py class"><dt class="sig sig-object py" id="Pool">{a}</dt><dd><p>{a}</p><dl class="field-list"><dt>Parameters:</dt><dd><p>{a}</p></dd></dl><p>{a}</p><div class="versionchanged"><p>{a}</p></div></dd></dl>
</section></section><div class="clearer"></div></div></div></div>
<div class="sphinxsidebar" role="navigation" aria-label="Main"><div class="sphinxsidebarwrapper"><h3><a href="index.html">{n}</a></h3><ul><li class="toctree-l1"><a href="start.html">{n}</a><ul><li class="toctree-l2"><a href="install.html">{n}</a></li></ul></li><li class="toctree-l1"><a href="tx.html">{n}</a></li><li class="toctree-l1"><a href="mig.html">{n}</a></li></ul>
<div role="note" aria-label="source link"><h3>{n}</h3><ul class="this-page-menu"><li><a href="_sources/c.txt" rel="nofollow">{n}</a></li></ul></div>
<search id="searchbox"><h3>{n}</h3></search></div></div></div>
<div class="footer" role="contentinfo">&#169; {n}. {n}.</div>
</body></html>`,
});
