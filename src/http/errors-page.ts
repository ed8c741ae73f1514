import { type ErrorStatus, HTTP_ERRORS } from "./errors.js";

const MEANINGS: Readonly<Record<ErrorStatus, string>> = {
  400:
    "The request is malformed, such as invalid JSON, a wrong header or cursor, or a body that is too large; " +
    "or the resource is not in a state that allows it yet.",
  401: "The Authorization header has no valid API key.",
  403: "The scope of the API key doesn’t allow this operation, or a signed URL was altered or has expired.",
  404: "Your organization has no resource with this id.",
  409:
    "The request conflicts with existing data: a slug or external id is taken, " +
    "or the state doesn’t allow the change.",
  410: "An invitation has expired. This server never returns it.",
  422: "The request is well-formed but invalid. The message names every invalid field.",
  429: "The organization has exceeded its rate limit. Retry-After is the number of seconds to wait.",
  500: "The server failed. The same request may succeed later. The status is 507 if one of its disks is full.",
};

/** Renders the page that the `doc_url` of errors points to. */
export function renderErrorsPage(): string {
  const sections = Object.entries(HTTP_ERRORS).map(
    ([status, { code, anchor }]) =>
      `<h2 id="${anchor}">${status} <code>${code}</code></h2>\n<p>${MEANINGS[Number(status) as ErrorStatus]}</p>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
:target { background: #ff9 }
</style>
<h1>Errors</h1>
<p>The body of every error is <code>{"success": false, "error": {"code", "message", "doc_url"}}</code>.</p>
${sections.join("\n")}
</html>
`;
}
