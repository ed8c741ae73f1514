import { page } from "./page.js";

export const germanMagazine = page("magazine in German", {
  article: `
    Warum Moore mehr Kohlenstoff speichern als Wälder
    Trockengelegte Moore sind für sieben Prozent der deutschen Emissionen verantwortlich.
    Von Anneke Petersen
    Ein intaktes Moor wächst etwa einen Millimeter im Jahr.
    Das klingt nach wenig, doch über Jahrtausende entstehen so meterdicke Torfschichten.
    Wird das Wasser abgelassen, zersetzt sich der Torf und gibt Kohlendioxid ab.
    Was die Wiedervernässung kostet
    Ein Hektar kostet je nach Lage zwischen 3.000 und 12.000 Euro.
    Viele Landwirte fürchten, dass ihre Flächen danach wertlos sind.
    Paludikultur nennt sich der Versuch, auf nassen Böden Rohrkolben und Schilf zu ernten.
    Die ersten Dämmplatten aus Rohrkolben sind inzwischen zugelassen.`,
  navigation: `
    Willkommen! Mit Werbung und Tracking lesen oder ein Abo abschließen.
    Zustimmen und weiter
    Bereits Abonnent? Hier anmelden
    Startseite des Magazins
    Ausgaben und Archiv
    Wissen kompakt
    Anzeige
    Zur Merkliste hinzufügen
    Artikel verschenken
    Lesen Sie auch
    Der Torf im Blumentopf
    Wie Biber Bäche renaturieren
    Mehr zum Thema
    Klimaziele: wo das Land steht
    Jetzt Newsletter bestellen
    Diskutieren Sie mit: Kommentare (48)
    Impressum und Datenschutz
    Mediadaten für Anzeigenkunden
    Verträge hier kündigen`,
  markup: `<!doctype html><html lang="de"><head><title>Warum Moore mehr Kohlenstoff speichern</title></head><body>
<div class="cmp-overlay"><div class="cmp-container"><div class="cmp-text">{n}</div><div><a class="cmp-btn" href="#">{n}</a></div><div>{n}</div></div></div>
<div class="page"><div class="kopf"><div class="kopf__logo"><a href="/">{n}</a></div><ul class="kopf__liste"><li><a href="/ausgaben">{n}</a></li><li><a href="/wissen">{n}</a></li></ul></div>
<div class="werbung"><span>{n}</span></div>
<div class="inhalt"><div class="artikel"><div class="artikel__kopf"><h1>{a}</h1><p class="vorspann">{a}</p><span class="autor">{a}</span></div><div class="artikel__werkzeuge"><a href="#">{n}</a><a href="#">{n}</a></div>
<div class="artikel__text"><p>{a}</p><p>{a} {a:link}</p><div class="teaserbox"><strong>{n}</strong><ul><li><a href="/torf">{n}</a></li><li><a href="/biber">{n}</a></li></ul></div><h2>{a}</h2><p>{a}</p><p>{a}</p><p>{a} {a}</p></div></div>
<div class="teaserliste"><h3>{n}</h3><a href="/ziele">{n}</a></div><div class="nl-box">{n}</div><div class="forum-hinweis"><a href="/forum">{n}</a></div></div>
<div class="fuss"><a href="/impressum">{n}</a> <a href="/media">{n}</a> <a href="/kuendigen">{n}</a></div></div></body></html>`,
});
