import { page } from "./page.js";

export const forumBoard = page("forum of a bulletin board", {
  article: `
    Condensation behind the insulation
    Hi all, we insulated our camper van last autumn and now the wall panels are damp.
    Behind the sheep's wool the sheet metal is wet every morning below five degrees.
    Should we have used a vapour barrier on the inside?
    Re: Condensation behind the insulation
    A barrier only helps if it is tight, and in a van it never is.
    Open the roof vent while you sleep, two people breathe out half a litre of water.
    Mine dried up completely after I sealed the gaps around the window frames.
    Use closed-cell foam directly on the metal and keep the wool for the second layer.
    Thanks, the vent alone made a huge difference this week!`,
  navigation: `
    Quick links
    Unanswered topics
    Board index
    Van conversions and campers
    Post Reply
    Search this topic
    Posts: 1543
    Joined: Tue Mar 04, 2014 7:12 pm
    Location: Tromsø
    Top of the page
    Return to “Van conversions”
    Jump to board: Electrics
    Who is online
    Users browsing this forum: 4 guests
    Delete all board cookies
    All times are UTC+01:00
    Powered by a bulletin board`,
  markup: `<!DOCTYPE html><html dir="ltr" lang="en-gb"><head><title>Condensation behind the insulation - Vanlife Board</title></head><body id="phpbb" class="nojs notouch section-viewtopic ltr">
<div id="wrap" class="wrap"><div id="page-header"><div class="navbar" role="navigation"><div class="inner"><ul id="nav-main" class="nav-main linklist" role="menubar"><li id="quick-links"><a href="#">{n}</a><ul role="menu"><li><a href="/un">{n}</a></li></ul></li></ul><ul id="nav-breadcrumbs" class="nav-breadcrumbs linklist navlinks" role="menubar"><li class="breadcrumbs"><span class="crumb"><a href="/">{n}</a></span><span class="crumb"><a href="/vans">{n}</a></span></li></ul></div></div></div>
<div id="page-body" class="page-body" role="main"><h2 class="topic-title"><a href="/t">{a}</a></h2>
<div class="action-bar bar-top"><a href="/reply" class="button">{n}</a><div class="search-box" role="search"><form><fieldset><label>{n}</label></fieldset></form></div></div>
<div id="p1" class="post has-profile bg2"><div class="inner"><dl class="postprofile"><dt><a href="/u1" class="username">fjordvan</a></dt><dd class="profile-posts">{n}</dd><dd class="profile-joined">{n}</dd><dd class="profile-custom-field">{n}</dd></dl><div class="postbody"><div><p class="author">by <a href="/u1">fjordvan</a> » Sat Jan 10, 2026 8:14 am</p><div class="content">{a}<br><br>{a}<br>{a}</div></div></div><div class="back2top"><a href="#wrap">{n}</a></div></div></div>
<div id="p2" class="post has-profile bg1"><div class="inner"><dl class="postprofile"><dt><a href="/u2" class="username">tinker77</a></dt></dl><div class="postbody"><div><h3><a href="#p2">{a}</a></h3><div class="content">{a} {a}</div></div></div></div></div>
<div id="p3" class="post has-profile bg2"><div class="inner"><dl class="postprofile"><dt><a href="/u3" class="username">rosa_k</a></dt></dl><div class="postbody"><div><div class="content">{a}<br>{a}</div></div></div></div></div>
<div id="p4" class="post has-profile bg1"><div class="inner"><dl class="postprofile"><dt><a href="/u1" class="username">fjordvan</a></dt></dl><div class="postbody"><div><div class="content">{a}</div></div></div></div></div>
<div class="action-bar actions-jump"><p class="jumpbox-return"><a href="/vans">{n}</a></p><div class="jumpbox dropdown-container"><ul class="dropdown-contents"><li><a href="/el">{n}</a></li></ul></div></div>
<div class="stat-block online-list"><h3><a href="/online">{n}</a></h3><p>{n}</p></div></div>
<div id="page-footer" class="page-footer" role="contentinfo"><div class="navbar" role="navigation"><ul id="nav-footer" class="nav-footer linklist"><li><a href="/ck">{n}</a></li><li>{n}</li></ul></div><div class="copyright"><p class="footer-row">{n}</p></div></div></div></body></html>`,
});
