import { page } from "./page.js";

export const blogTheme = page("blog of a common theme, with widgets", {
  article: `
    Replacing the bearings of an old belt grinder
    My grinder started to howl last winter, and this is what I learned while fixing it.
    Take the belt off first and unplug the machine.
    The wheel is held by a left-hand thread, which nobody tells you.
    Tools you need
    A bearing puller with two arms
    A 19 mm socket
    Penetrating oil and a lot of patience
    Heat the hub to about eighty degrees; the aluminium grows faster than the steel.
    The new bearings slid in by hand after twenty minutes in the freezer.
    I ran it for an hour without a belt and measured 41 degrees at the housing.
    If yours still vibrates, check whether the drive wheel is round at all.`,
  navigation: `
    Skip to content
    The Evening Workshop
    Notes from a very small garage
    Projects
    About me
    Posted in Machines
    Leave a reply
    Share this:
    Click to share on Mastodon (Opens in new window)
    Click to print (Opens in new window)
    Like this:
    Loading...
    Related
    How I sharpen drill bits
    A dust hood from a bucket
    Previous post
    Next post
    One thought on “Replacing the bearings”
    Your comment is awaiting moderation, which may take a day.
    Required fields are marked *
    Recent Posts
    A shelf for clamps
    Archives
    February 2026
    January 2026
    Meta
    Log in
    Proudly powered by a blog engine`,
  markup: `<!DOCTYPE html><html lang="en-US"><head><title>Replacing the bearings – The Evening Workshop</title></head>
<body class="post-template-default single single-post">
<div id="page" class="site"><a class="skip-link screen-reader-text" href="#content">{n}</a>
<header id="masthead" class="site-header"><div class="site-branding"><p class="site-title"><a href="/" rel="home">{n}</a></p><p class="site-description">{n}</p></div>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu"><li class="menu-item"><a href="/projects">{n}</a></li><li class="menu-item"><a href="/about">{n}</a></li></ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main">
<article id="post-311" class="post-311 post type-post hentry category-machines">
<header class="entry-header"><h1 class="entry-title">{a}</h1><div class="entry-meta"><span class="cat-links">{n}</span> <span class="comments-link"><a href="#respond">{n}</a></span></div></header>
<div class="entry-content"><p>{a}</p><p>{a} {a}</p><h2>{a}</h2><ul><li>{a}</li><li>{a}</li><li>{a}</li></ul><p>{a:link} {a}</p><p>{a}</p><p>{a}</p>
<div class="sharedaddy sd-sharing-enabled"><h3 class="sd-title">{n}</h3><div class="sd-content"><ul><li><a href="#">{n}</a></li><li><a href="#">{n}</a></li></ul></div></div>
<div class="sharedaddy sd-like"><h3 class="sd-title">{n}</h3><span class="loading">{n}</span></div>
<div id="jp-relatedposts" class="jp-relatedposts"><h3>{n}</h3><div><a href="/drill">{n}</a></div><div><a href="/dust">{n}</a></div></div>
</div></article>
<nav class="navigation post-navigation"><div class="nav-links"><div class="nav-previous"><a href="/p" rel="prev">{n}</a></div><div class="nav-next"><a href="/n" rel="next">{n}</a></div></div></nav>
<div id="comments" class="comments-area"><h2 class="comments-title">{n}</h2><ol class="comment-list"><li class="comment"><p>{n}</p></li></ol><div id="respond" class="comment-respond"><form><p class="comment-notes">{n}</p></form></div></div>
</main></div>
<aside id="secondary" class="widget-area"><section class="widget widget_recent_entries"><h2 class="widget-title">{n}</h2><ul><li><a href="/s">{n}</a></li></ul></section>
<section class="widget widget_archive"><h2 class="widget-title">{n}</h2><ul><li><a href="/2026/02">{n}</a></li><li><a href="/2026/01">{n}</a></li></ul></section>
<section class="widget widget_meta"><h2 class="widget-title">{n}</h2><ul><li><a href="/login">{n}</a></li></ul></section></aside></div>
<footer id="colophon" class="site-footer"><div class="site-info"><a href="https://engine.example">{n}</a></div></footer></div>
</body></html>`,
});
