import { page } from "./page.js";

export const forumTopics = page("forum of topics, as robots see it", {
  article: `
    How do you version your firmware?
    We ship to 14 boards and the version string has become a paragraph.
    Right now it is the date, the commit, the board and the branch.
    Semantic versions for the protocol, a build number for everything else.
    The board is not part of the version, it is part of the target.
    +1, and print both at boot so that support can read them over the phone.
    We sign the image with its version inside, so nobody can lie about it.
    git describe --dirty --always
    Start with that until you know what you miss.`,
  navigation: `
    Embedded Makers Forum
    Log In to reply
    Topics by category
    firmware tag
    releases tag
    2 Likes
    Related topics
    Topic Replies Views Activity
    Over-the-air updates on a budget
    Which RTOS for battery devices?
    Flash wear levelling explained
    Categories overview
    FAQ and guidelines
    Privacy statement
    Powered by a forum engine, best viewed with JavaScript enabled`,
  markup: `<!DOCTYPE html><html lang="en"><head><title>How do you version your firmware? - Embedded Makers Forum</title></head><body class="crawler">
<header><a href="/">{n}</a><span class="header-login"><a href="/login">{n}</a></span></header>
<div id="main-outlet" class="wrap" role="main"><div id="topic-title"><h1><a href="/t/411">{a}</a></h1><div class="topic-category"><span><a href="/c/7">{n}</a></span></div><div class="discourse-tags list-tags"><a href="/tag/firmware" class="discourse-tag">{n}</a>, <a href="/tag/releases" class="discourse-tag">{n}</a></div></div>
<div itemscope itemtype="http://schema.org/DiscussionForumPosting"><div id="post_1" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="/u/ada"><span>ada</span></a></span><span class="crawler-post-infos"><time>January 3, 2026</time></span></div><div class="post" itemprop="text"><p>{a}</p><p>{a}</p></div><div><span class="post-likes">{n}</span></div></div>
<div id="post_2" class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="/u/li"><span>li</span></a></span></div><div class="post" itemprop="text"><p>{a}</p><p>{a}</p></div></div>
<div id="post_3" class="topic-body crawler-post"><div class="post" itemprop="text"><p>{a}</p></div></div>
<div id="post_4" class="topic-body crawler-post"><div class="post" itemprop="text"><p>{a}</p><pre><code class="lang-auto">{a}</code></pre><p>{a}</p></div></div></div>
<div id="related-topics" class="more-topics__list" role="complementary"><h3 class="more-topics__list-title">{n}</h3><div class="topic-list-container"><table class="topic-list"><thead><tr><th>{n}</th></tr></thead><tbody><tr class="topic-list-item"><td class="main-link"><a href="/1">{n}</a></td><td><span class="posts">12</span></td></tr><tr class="topic-list-item"><td class="main-link"><a href="/2">{n}</a></td><td>7</td></tr><tr class="topic-list-item"><td class="main-link"><a href="/3">{n}</a></td><td>3</td></tr></tbody></table></div></div></div>
<footer class="container wrap"><nav class="crawler-nav"><ul><li><a href="/categories">{n}</a></li><li><a href="/guidelines">{n}</a></li><li><a href="/privacy">{n}</a></li></ul></nav><p class="powered-by-link">{n}</p></footer></body></html>`,
});
