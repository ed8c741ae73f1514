import { page } from "./page.js";

export const blogHashedClasses = page("blog platform with hashed class names", {
  article: `
    What ten years of on-call taught me about sleep
    Nobody is good at three in the morning, and systems should know that.
    I carried a pager from 2014 to 2024 in four companies of very different sizes.
    The first lesson is that alerts are a product, and its users are tired.
    Write the runbook while you are angry
    The best runbooks I have seen were written within an hour of an incident.
    Anger makes you precise about what you wish somebody had told you.
    pager --silence checkout --for 2h
    That one command saved my weekends for most of a year.
    Delete alerts without mercy
    We went from 312 alerts to 27, and found problems sooner than before.
    If nobody did anything the last three times, nobody needs to wake up.`,
  navigation: `
    Open in app
    Sign up for free
    Write a story
    Jonas Ferrer
    Follow this author
    7 min read
    Listen to this story
    1.2K claps
    38 responses
    Written by Jonas Ferrer
    4.1K followers
    More from Jonas Ferrer
    The pager is not the problem
    Dashboards nobody opens
    Recommended for you
    I rewrote my shell prompt again
    Why queues lie to you
    Help center
    Careers page
    Text to speech`,
  markup: `<!doctype html><html lang="en"><head><title>What ten years of on-call taught me</title></head><body><div id="root"><div class="a b c">
<div class="d e"><div class="f"><a class="g" href="/app">{n}</a><div class="h"><a class="g" href="/signup">{n}</a><a class="g" href="/new">{n}</a></div></div></div>
<div class="l m"><article><div class="n o"><section><div>
<h1 class="pw-post-title p q">{a}</h1><h2 class="r s">{a}</h2>
<div class="speechify"><div class="t"><a href="/@jonas">{n}</a><span> · </span><a href="/@jonas/follow">{n}</a></div><span class="u">{n}</span></div>
<div class="v w"><div class="x"><a href="/listen">{n}</a></div><div><span><a href="/vote">{n}</a></span></div><div><span><a href="/responses">{n}</a></span></div></div>
<p class="pw y z">{a}</p><p class="pw y z">{a}</p><h2 class="ab ac">{a}</h2><p class="pw y z">{a}</p><p class="pw y z">{a:b}</p>
<pre class="ad"><span class="ae">{a}</span></pre><p class="pw y z">{a}</p><h2 class="ab ac">{a}</h2><p class="pw y z">{a:link}</p><p class="pw y z">{a}</p>
</div></section></div></article></div>
<div class="af ag"><div class="ah"><h2 class="ai">{n}</h2><span class="aj"><a href="/followers">{n}</a></span></div>
<div class="ak"><h2 class="al">{n}</h2><div class="am"><a href="/1"><h3>{n}</h3></a></div><div class="am"><a href="/2"><h3>{n}</h3></a></div></div>
<div class="ak"><h2 class="al">{n}</h2><div class="am"><a href="/3"><h3>{n}</h3></a></div><div class="am"><a href="/4"><h3>{n}</h3></a></div></div></div>
<div class="an ao"><div class="ap"><a href="/help"><p>{n}</p></a><a href="/careers"><p>{n}</p></a><a href="/speech"><p>{n}</p></a></div></div>
</div></div></body></html>`,
});
