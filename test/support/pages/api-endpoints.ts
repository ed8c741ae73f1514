import { page } from "./page.js";

export const apiEndpoints = page("API reference of endpoints in three columns", {
  article: `
    Invoices
    An invoice is a statement of what a customer owes for a period.
    Create an invoice
    POST /v1/invoices
    customer
    string, required
    The id of the customer who is billed.
    due_in_days
    integer, default 30
    How many days the customer has to pay.
    curl https://api.example/v1/invoices -d customer=cus_81
    { "id": "inv_301", "status": "draft" }
    Errors
    404
    There is no such customer, or it has been deleted.
    Retrieve an invoice
    GET /v1/invoices/:id
    Returns the invoice as it was last saved.`,
  navigation: `
    Ledger API
    Dashboard login
    Create account now
    Find anything
    Authentication basics
    Pagination rules
    Idempotent requests
    Customers resource
    Refunds resource
    Webhooks guide
    Payouts resource
    We're hiring engineers
    Contact sales team
    Status page of the service
    Ask the assistant
    This site uses cookies for analytics. Got it`,
  markup: `<!doctype html><html lang="en"><head><title>Invoices - Ledger API</title></head><body>
<div class="app"><div class="topnav"><a class="brand" href="/">{n}</a><div class="topnav-links"><a href="/login">{n}</a><a href="/signup">{n}</a></div></div>
<div class="layout"><div class="sidebar scroll"><div class="sidebar-search">{n}</div><div class="sidebar-group"><a class="sidebar-link" href="/auth">{n}</a><a class="sidebar-link" href="/pages">{n}</a><a class="sidebar-link" href="/idem">{n}</a></div><div class="sidebar-group"><a class="sidebar-link" href="/customers">{n}</a><a class="sidebar-link" href="/refunds">{n}</a><a class="sidebar-link" href="/hooks">{n}</a><a class="sidebar-link" href="/payouts">{n}</a></div></div>
<div class="docs-main">
<div class="api-section"><div class="api-left"><h1>{a}</h1><p>{a:link}</p></div><div class="api-right"></div></div>
<div class="api-section"><div class="api-left"><h2>{a}</h2><div class="endpoint"><span>{a}</span></div><div class="params"><div class="param"><span class="name">{a}</span> <span class="type">{a}</span><div class="desc">{a}</div></div><div class="param"><span class="name">{a}</span> <span class="type">{a}</span><div class="desc">{a}</div></div></div></div>
<div class="api-right"><div class="code-sample"><pre>{a}</pre></div><div class="code-sample response"><pre>{a}</pre></div></div></div>
<div class="api-section"><div class="api-left"><h3>{a}</h3><table><tr><th>Code</th><th>Meaning</th></tr><tr><td>{a}</td><td>{a}</td></tr></table></div><div class="api-right"></div></div>
<div class="api-section"><div class="api-left"><h2>{a}</h2><div class="endpoint"><span>{a}</span></div><p>{a}</p></div><div class="api-right"></div></div>
</div></div>
<div class="site-footer"><a href="/jobs">{n}</a><a href="/sales">{n}</a><a href="https://status.example">{n}</a></div>
<div class="chat-widget">{n}</div></div>
<div class="cc-window cc-banner" role="region">{n}</div></body></html>`,
});
