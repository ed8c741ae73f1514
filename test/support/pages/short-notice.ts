import { page } from "./page.js";

export const shortNotice = page("short notice within many menus", {
  article: `
    The library is closed on Monday
    The heating is being replaced, so we open again on Tuesday at nine.
    Books that are due on Monday may be returned a day later without a fee.`,
  navigation: `
    Town of Elmsworth
    Council and democracy
    Bins and recycling
    Parking permits
    Planning applications
    Schools and nurseries
    Libraries in the town
    Opening hours
    Renew a book
    Pay a fine
    Book a room
    Local studies
    Digital library
    Latest notices
    Road works on Mill Lane
    Play area reopens
    New bus timetable
    Tell us what you think of this page
    Sign up for email news
    Elmsworth Town Council, Market Square 1
    Accessibility statement
    Freedom of information`,
  markup: `<!doctype html><html lang="en"><head><title>The library is closed on Monday</title></head><body>
<div class="site"><div class="site__top"><a href="/">{n}</a><ul><li><a href="/c">{n}</a></li><li><a href="/b">{n}</a></li><li><a href="/p">{n}</a></li><li><a href="/pl">{n}</a></li><li><a href="/s">{n}</a></li></ul></div>
<div class="site__cols"><div class="col-a"><h3>{n}</h3><ul><li><a href="/l/1">{n}</a></li><li><a href="/l/2">{n}</a></li><li><a href="/l/3">{n}</a></li><li><a href="/l/4">{n}</a></li><li><a href="/l/5">{n}</a></li><li><a href="/l/6">{n}</a></li></ul></div>
<div class="col-b"><h1>{a}</h1><p>{a}</p><p>{a}</p></div>
<div class="col-c"><h3>{n}</h3><ul><li><a href="/n/1">{n}</a></li><li><a href="/n/2">{n}</a></li><li><a href="/n/3">{n}</a></li></ul></div></div>
<div class="site__feedback"><a href="/fb">{n}</a><a href="/news">{n}</a></div>
<div class="site__bottom"><p>{n}</p><a href="/a11y">{n}</a><a href="/foi">{n}</a></div></div></body></html>`,
});
