import { page } from "./page.js";

export const questions = page("questions and answers", {
  article: `
    Why does my shell script stop after the first ssh?
    I loop over a file of host names and only the first host is ever contacted.
    while read host; do ssh "$host" uptime; done < hosts.txt
    The script then exits with status zero and no message.
    2 Answers
    Your loop and ssh share the same standard input, so ssh eats the rest of the file.
    Give ssh nothing to read with the option -n.
    ssh -n "$host" uptime
    Alternatively read the list from another descriptor and leave standard input alone.
    while read -u 3 host; do ssh "$host" uptime; done 3< hosts.txt
    The same happens with ffmpeg, which also reads from the terminal.`,
  navigation: `
    Your privacy: by clicking you agree that we can store cookies on your device.
    Necessary cookies only
    Stack of Questions
    Products overview
    Ask Question
    Asked 3 years ago
    Viewed 18k times
    Share this question
    Improve this question
    Highest score (default)
    Add a comment
    Your Answer
    Thanks for contributing an answer! Please be sure to answer the question.
    Not the answer you're looking for? Browse other questions tagged bash.
    Hot Network Questions
    Is the plural of ibis ibises?
    Can a sailboat outrun the wind?
    Linked questions
    Site design and logo, user contributions licensed
    Mobile app
    Data dump policy`,
  markup: `<!DOCTYPE html><html class="html__responsive" lang="en"><head><title>bash - Why does my shell script stop after the first ssh?</title></head><body class="question-page unified-theme">
<div class="js-consent-banner ps-fixed z-modal"><p>{n}</p><a href="#" class="s-btn">{n}</a></div>
<header class="s-topbar js-top-bar"><div class="s-topbar--container"><a href="/" class="s-topbar--logo">{n}</a><ol class="s-navigation"><li><a href="/products">{n}</a></li></ol></div></header>
<div class="container"><div id="left-sidebar" class="left-sidebar"><nav><ol><li><a href="/questions">Questions</a></li></ol></nav></div>
<div id="content" class="snippet-hidden"><div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question"><div class="inner-content clearfix"><div id="question-header" class="d-flex"><h1 itemprop="name"><a href="/q/77" class="question-hyperlink">{a}</a></h1><div class="aside-cta"><a href="/ask" class="s-btn">{n}</a></div></div>
<div class="d-flex fw-wrap pb8 mb16 bb"><div class="flex--item">{n}</div><div class="flex--item">{n}</div></div>
<div id="mainbar" role="main" aria-label="question and answers"><div class="question js-question" id="question"><div class="post-layout"><div class="votecell post-layout--left"><div class="js-voting-container"><div class="js-vote-count">41</div></div></div><div class="postcell post-layout--right"><div class="s-prose js-post-body" itemprop="text"><p>{a}</p><pre><code>{a}</code></pre><p>{a}</p></div><div class="post-taglist"><a href="/t/bash" class="post-tag">bash</a></div><div class="js-post-menu"><a class="js-share-link" href="/s">{n}</a><a class="js-edit-link" href="/e">{n}</a></div></div></div></div>
<div id="answers"><div id="answers-header"><h2>{a}</h2><div class="answers-sort"><label>{n}</label></div></div>
<div id="answer-1" class="answer js-answer accepted-answer"><div class="post-layout"><div class="votecell"><div>88</div></div><div class="answercell post-layout--right"><div class="s-prose js-post-body"><p>{a} {a}</p><pre><code>{a}</code></pre></div></div></div><div class="js-comments-menu"><a class="js-add-link comments-link" href="#">{n}</a></div></div>
<div id="answer-2" class="answer js-answer"><div class="post-layout"><div class="votecell"><div>12</div></div><div class="answercell"><div class="s-prose js-post-body"><p>{a}</p><pre><code>{a}</code></pre><p>{a}</p></div></div></div></div>
<form id="post-form" class="js-add-answer-component"><h2 class="space">{n}</h2><div class="js-hidden"><p>{n}</p></div></form><h2 class="bottom-notice">{n}</h2></div></div>
<div id="sidebar" class="show-votes" role="complementary"><div id="hot-network-questions" class="module tex2jax_ignore"><h4>{n}</h4><ul><li><a href="/h1">{n}</a></li><li><a href="/h2">{n}</a></li></ul></div><div class="module sidebar-linked"><h4>{n}</h4></div></div></div></div></div></div>
<footer id="footer" class="site-footer"><div class="site-footer--container"><p>{n}</p><nav><ul><li><a href="/app">{n}</a></li><li><a href="/dump">{n}</a></li></ul></nav></div></footer></body></html>`,
});
