import { page } from "./page.js";

export const event = page("event with facts beside its text", {
  article: `
    Night of the open observatories
    When
    Friday 12 September, 20:00 to 01:00
    Where
    Old Observatory, Kastanienweg 4
    Admission
    Free, donations welcome
    Look through the 1911 refractor and meet the people who keep it running.
    At nine, Dr. Amara Diallo explains why some stars flicker out and come back.
    Children can build a sundial in the garden as long as there is light.
    Programme
    20:00
    Doors open, tour of the dome
    21:00
    Talk: the stars that disappear
    22:30
    Saturn and its moons, weather permitting
    The stairs to the dome are steep; there is no lift.`,
  navigation: `
    City events calendar
    Concerts tonight
    Exhibitions this month
    Submit your event
    Add to my calendar
    Get directions with maps
    Buy tickets
    More events nearby
    Jazz on the river
    Flea market at the station
    Don't miss out! Get our weekly tips by email.
    Organisers' login
    Data protection notice
    Follow the city on Instagram`,
  markup: `<!doctype html><html lang="en"><head><title>Night of the open observatories</title></head><body>
<div class="c-header"><a href="/">{n}</a><div class="c-nav"><a href="/concerts">{n}</a><a href="/exhibitions">{n}</a><a href="/submit">{n}</a></div></div>
<div class="c-page" itemscope itemtype="https://schema.org/Event"><div class="c-title"><h1>{a}</h1></div>
<div class="c-facts"><dl><dt>{a}</dt><dd>{a}</dd><dt>{a}</dt><dd>{a}</dd><dt>{a}</dt><dd>{a}</dd></dl><div class="c-actions"><a href="/ics">{n}</a><a href="https://maps.example">{n}</a><a href="/tickets">{n}</a></div></div>
<div class="c-body"><p>{a}</p><p>{a:link}</p><p>{a}</p><h2>{a}</h2><table><tr><td>{a}</td><td>{a}</td></tr><tr><td>{a}</td><td>{a}</td></tr><tr><td>{a}</td><td>{a}</td></tr></table><p>{a}</p></div></div>
<div class="c-more"><h2>{n}</h2><ul><li><a href="/jazz">{n}</a></li><li><a href="/flea">{n}</a></li></ul></div>
<div class="c-newsletter"><p>{n}</p></div>
<div class="c-footer"><a href="/login">{n}</a><a href="/data">{n}</a><a href="https://insta.example">{n}</a></div></body></html>`,
});
