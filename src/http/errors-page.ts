import { type ErrorStatus, HTTP_ERRORS } from "./errors.js";

const MEANINGS: Readonly<Record<ErrorStatus, string>> = {
  400: "The request is malformed: JSON that cannot be parsed, a wrong header or cursor, a body that is too large; or the state of what it names doesn’t allow it yet.",
  401: "There is no API key in the Authorization header, or none that is valid.",
  403: "The API key’s scope doesn’t reach this operation, or a signed URL was changed or has expired.",
  404: "There is nothing of that id that is yours.",
  409: "It conflicts with what is there: a slug or an external id that is taken, a state that doesn’t allow the change.",
  410: "An invitation has expired. No operation of this server answers so.",
  422: "The request is well-formed and breaks a rule; the message names every field that does.",
  429: "The organization has used up its requests: Retry-After says how many seconds to wait.",
  500: "The server failed. The same request may succeed later.",
};

/** The page that every error's `doc_url` leads to. */
export function errorsPage(): string {
  const sections = Object.entries(HTTP_ERRORS).map(
    ([status, { code, anchor }]) =>
      `<h2 id="${anchor}">${status} <code>${code}</code></h2>\n<p>${MEANINGS[Number(status) as ErrorStatus]}</p>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem } :target { background: #ff9 }</style>
<h1>Errors</h1>
<p>Every failure has the body <code>{"success": false, "error": {"code", "message", "doc_url"}}</code>.</p>
${sections.join("\n")}
</html>
`;
}
