import { page } from "./page.js";

export const apiClasses = page("API documentation of classes", {
  article: `
    Class RingBuffer
    A queue of fixed capacity that overwrites its oldest element when it is full.
    It is not safe for use by several threads without synchronization.
    Constructor Summary
    RingBuffer(int capacity)
    Creates an empty buffer.
    Method Summary
    boolean
    offer(E element)
    Adds an element and returns whether another one was overwritten.
    E
    poll()
    Removes the oldest element, or returns null where there is none.
    Method Details
    public boolean offer(E element)
    element - what is added; null is refused
    NullPointerException - if the element is null
    See Also: java.util.ArrayDeque`,
  navigation: `
    Skip navigation links
    Overview page
    Package tree
    Deprecated list
    Index of all names
    Help for this site
    SEARCH this API
    Summary: Nested | Field
    Detail: Field | Constr
    All Classes and Interfaces
    com.example.collections
    Previous Class
    Next Class
    Copyright © 2026 Example Foundation. All rights reserved.
    Use is subject to license terms.`,
  markup: `<!DOCTYPE HTML><html lang="en"><head><title>RingBuffer (collections 1.4 API)</title></head><body class="class-declaration-page"><div class="flex-box">
<header role="banner" class="flex-header"><nav role="navigation"><div class="top-nav" id="navbar-top"><div class="skip-nav"><a href="#skip">{n}</a></div><ul id="navbar-top-firstrow" class="nav-list"><li><a href="../index.html">{n}</a></li><li>Class</li><li><a href="tree.html">{n}</a></li><li><a href="dep.html">{n}</a></li><li><a href="index-all.html">{n}</a></li><li><a href="help.html">{n}</a></li></ul></div>
<div class="sub-nav"><div class="nav-list-search"><label>{n}</label></div><div><ul class="sub-nav-list"><li>{n}</li></ul><ul class="sub-nav-list"><li>{n}</li></ul></div></div></nav></header>
<div class="flex-content"><div class="index-frame"><a href="allclasses.html">{n}</a><a href="package.html">{n}</a></div><main role="main">
<div class="header"><h1 class="title">{a}</h1></div><section class="class-description" id="class-description"><div class="block">{a} {a}</div></section>
<section class="summary"><ul class="summary-list"><li><section class="constructor-summary"><h2>{a}</h2><div class="summary-table two-column-summary"><div class="col-constructor-name even-row-color"><code><a href="#c">{a}</a></code></div><div class="col-last even-row-color"><div class="block">{a}</div></div></div></section></li>
<li><section class="method-summary"><h2>{a}</h2><div class="summary-table three-column-summary"><div class="col-first"><code>{a}</code></div><div class="col-second"><code><a href="#offer">{a}</a></code></div><div class="col-last"><div class="block">{a}</div></div><div class="col-first"><code>{a}</code></div><div class="col-second"><code><a href="#poll">{a}</a></code></div><div class="col-last"><div class="block">{a}</div></div></div></section></li></ul></section>
<section class="details"><ul class="details-list"><li><section class="method-details"><h2>{a}</h2><ul class="member-list"><li><section class="detail" id="offer"><div class="member-signature">{a}</div><dl class="notes"><dt>Parameters:</dt><dd>{a}</dd><dt>Throws:</dt><dd>{a}</dd></dl><div class="see">{a}</div></section></li></ul></section></li></ul></section>
</main><div class="bottom-nav"><ul><li><a href="p.html">{n}</a></li><li><a href="n.html">{n}</a></li></ul></div><footer role="contentinfo"><hr><p class="legal-copy"><small>{n} {n}</small></p></footer></div></div></body></html>`,
});
