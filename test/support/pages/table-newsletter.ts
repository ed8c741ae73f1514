import { page } from "./page.js";

export const tableNewsletter = page("newsletter of nested tables", {
  article: `
    The Beekeepers' Letter, May issue
    Dear members, the linden trees are early this year.
    Swarm season
    Check your hives every seven days until the end of June.
    A swarm that hangs in a tree belongs to whoever follows it, says the old law.
    Course dates
    Saturday 16 May: queen rearing for beginners
    Sunday 31 May: reading a brood frame
    From the treasurer
    The annual fee stays at 45 francs, and 312 members have paid it.
    Honey jars
    New labels can be ordered from Ursina until Friday.`,
  navigation: `
    View this email in your browser
    Visit our website
    Online shop
    Forward to a friend
    Tweet this issue
    You are receiving this email because you are a member or signed up at a market.
    Unsubscribe from this list
    Update your preferences
    Our mailing address is:
    Copyright © 2026 Beekeepers' Association, All rights reserved.`,
  markup: `<!doctype html><html><head><title>The Beekeepers' Letter</title></head><body style="margin:0"><center><table align="center" border="0" cellpadding="0" cellspacing="0" height="100%" width="100%" id="bodyTable"><tr><td align="center" valign="top" id="bodyCell">
<table border="0" cellpadding="0" cellspacing="0" width="100%" class="templateContainer">
<tr><td valign="top" id="templatePreheader"><table class="mcnTextBlock" width="100%"><tbody><tr><td class="mcnTextContent" style="text-align:center"><a href="https://mail.example/v" target="_blank">{n}</a></td></tr></tbody></table></td></tr>
<tr><td valign="top" id="templateHeader"><table><tr><td><img alt="" src="logo.png"></td><td><a href="https://bees.example">{n}</a> &nbsp; <a href="https://bees.example/shop">{n}</a></td></tr></table></td></tr>
<tr><td valign="top" id="templateBody"><table class="mcnTextBlock" width="100%"><tbody><tr><td class="mcnTextContent"><h1>{a}</h1><p>{a}</p></td></tr></tbody></table>
<table class="mcnTextBlock" width="100%"><tbody><tr><td class="mcnTextContent"><h3>{a}</h3>{a}<br>{a}</td></tr></tbody></table>
<table class="mcnTextBlock" width="100%"><tbody><tr><td class="mcnTextContent"><h3>{a}</h3><ul><li>{a}</li><li>{a}</li></ul></td></tr></tbody></table>
<table width="100%"><tr><td width="50%" class="mcnTextContent"><h3>{a}</h3>{a:b}</td><td width="50%" class="mcnTextContent"><h3>{a}</h3>{a:link}</td></tr></table></td></tr>
<tr><td valign="top" id="templateFooter"><table class="mcnFollowBlock"><tr><td><a href="https://f.example">{n}</a></td><td><a href="https://t.example">{n}</a></td></tr></table><table class="mcnTextBlock"><tr><td class="mcnTextContent"><em>{n}</em><br><a href="*|UNSUB|*">{n}</a> <a href="*|PROFILE|*">{n}</a><br><strong>{n}</strong><br>{n}</td></tr></table></td></tr>
</table></td></tr></table></center></body></html>`,
});
