import { page } from "./page.js";

export const government = page("government's guidance", {
  article: `
    Register a drone
    You must register if your drone weighs 250 grams or more.
    Registration costs £11.13 a year and lasts for 12 months.
    Before you start
    You need a debit or credit card and an email address.
    You must be 18 or over, or register through a parent.
    Register online
    You will get your operator ID straight away.
    Label every drone with it before you fly outdoors.
    If you do not register
    You can be fined for breaking the law.
    In the most serious cases you could be sent to prison.
    Other ways to apply
    Write to the authority if you cannot use the online service.`,
  navigation: `
    Cookies on this service
    We use some essential cookies to make this service work.
    View cookies
    Skip to the main content
    Navigation menu of departments
    Benefits and pensions
    Driving and transport
    BETA This is a new service – your feedback will help us to improve it.
    Parent section: Aviation
    Related content
    Flying rules for hobby pilots
    Check who owns an airfield
    Is this page useful?
    Report a problem with this page
    Help us improve by taking a short survey
    Services and information
    Departments and policy
    All content is available under an open government licence, except where otherwise stated
    © Crown copyright`,
  markup: `<!DOCTYPE html><html class="template" lang="en"><head><title>Register a drone</title></head><body class="js-enabled">
<div id="global-cookie-message" class="gem-c-cookie-banner govuk-cookie-banner" role="region" aria-label="Cookies"><div class="govuk-cookie-banner__message"><h2>{n}</h2><p>{n}</p><a class="govuk-link" href="/help/cookies">{n}</a></div></div>
<a href="#content" class="govuk-skip-link">{n}</a>
<header class="gem-c-layout-super-navigation-header" role="banner"><nav aria-label="Services"><h2>{n}</h2><ul><li><a href="/benefits">{n}</a></li><li><a href="/driving">{n}</a></li></ul></nav></header>
<div class="govuk-width-container"><div class="govuk-phase-banner"><p class="govuk-phase-banner__content">{n}</p></div><div class="gem-c-breadcrumbs govuk-breadcrumbs"><ol><li><a href="/aviation">{n}</a></li></ol></div>
<main role="main" id="content" class="detailed-guide"><div class="govuk-grid-row"><div class="govuk-grid-column-two-thirds"><h1 class="gem-c-title__text">{a}</h1><div class="gem-c-govspeak govuk-govspeak"><p>{a}</p><p>{a:b}</p><h2>{a}</h2><ul><li>{a}</li><li>{a}</li></ul><h2>{a}</h2><p>{a:link}</p><p>{a}</p><div class="call-to-action"><h2>{a}</h2><p>{a}</p><p>{a}</p></div><h2>{a}</h2><p>{a}</p></div></div>
<div class="govuk-grid-column-one-third"><div class="gem-c-contextual-sidebar"><div class="gem-c-related-navigation"><h2>{n}</h2><nav role="navigation"><ul><li><a href="/rules">{n}</a></li><li><a href="/airfield">{n}</a></li></ul></nav></div></div></div></div></main>
<div class="gem-c-feedback govuk-!-display-none-print"><div class="gem-c-feedback__prompt"><h2>{n}</h2><p>{n}</p></div><form><h2>{n}</h2></form></div></div>
<footer class="gem-c-layout-footer govuk-footer" role="contentinfo"><div class="govuk-footer__navigation"><h2>{n}</h2><h2>{n}</h2></div><div class="govuk-footer__meta"><span>{n}</span><a href="/crown">{n}</a></div></footer></body></html>`,
});
