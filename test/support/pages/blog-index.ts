import { page } from "./page.js";

export const blogIndex = page("index of a blog, all of it teasers", {
  article: `
    Field notes
    Counting swifts with a microphone
    Two nights on a church tower taught us how many pairs there really are.
    A map of every hedge in the county
    Volunteers walked 480 kilometres and measured gaps with a broomstick.
    Why we stopped mowing in May
    The meadow had eleven species in 2021 and has thirty-four today.
    How to read an owl pellet
    All you need is a pair of tweezers, warm water and a strong stomach.
    The pond that came back
    A ditch was dug in the wrong place and turned out to be the right one.`,
  navigation: `
    County Wildlife Trust
    Become a member
    Nature reserves
    Volunteer with us
    Older posts
    Newer posts
    Browse by tag
    hedges (12)
    owls (7)
    Donate today
    Registered charity number 210807
    Website by a local studio`,
  markup: `<!doctype html><html lang="en"><head><title>Field notes</title></head><body class="home blog">
<header class="masthead"><a href="/">{n}</a><nav><a href="/join">{n}</a><a href="/reserves">{n}</a><a href="/volunteer">{n}</a></nav></header>
<main><h1>{a}</h1>
<article class="teaser"><h2><a href="/swifts">{a}</a></h2><p>{a}</p></article>
<article class="teaser"><h2><a href="/hedges">{a}</a></h2><p>{a}</p></article>
<article class="teaser"><h2><a href="/mowing">{a}</a></h2><p>{a}</p></article>
<article class="teaser"><h2><a href="/owls">{a}</a></h2><p>{a}</p></article>
<article class="teaser"><h2><a href="/pond">{a}</a></h2><p>{a}</p></article>
<nav class="pagination"><a href="/2">{n}</a><a href="/0">{n}</a></nav></main>
<aside class="sidebar"><h2>{n}</h2><ul class="tag-cloud"><li><a href="/t/h">{n}</a></li><li><a href="/t/o">{n}</a></li></ul><p><a href="/donate">{n}</a></p></aside>
<footer><p>{n}</p><p>{n}</p></footer></body></html>`,
});
