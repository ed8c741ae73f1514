/** What stands for a secret. */
const MASK = "••••";
/** Below this a secret is taken out only as a whole: parts of it are parts of words. */
const RUN = 12;

/**
 * Takes secrets out of texts that may quote them: as they are, or in JSON, URLs and Basic credentials, whole or cut off at their end, as
 * by whoever shortens a message.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret !== "").flatMap(formsOf))];
  return (text) => {
    let clean = "";
    let from = 0;
    for (let at = nextOf(text, forms, 0); at !== -1; at = nextOf(text, forms, from)) {
      clean += text.slice(from, at) + MASK;
      // Several forms begin alike: the one that goes on longest is meant.
      from = at + Math.max(...forms.map((form) => runOf(text, form, at)));
    }
    return clean + text.slice(from);
  };
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString("base64");
  return [
    ...[secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)],
    ...[base64.replace(/=+$/, ""), Buffer.from(secret).toString("base64url")],
  ];
}

/** Where any of the forms begins next; -1 where none does. */
function nextOf(text: string, forms: readonly string[], from: number): number {
  const places = forms.map((form) => text.indexOf(form.slice(0, RUN), from)).filter((at) => at !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** How much of a form stands there; 0 where not even its beginning does. */
function runOf(text: string, form: string, at: number): number {
  if (!text.startsWith(form.slice(0, RUN), at)) return 0;
  let length = Math.min(RUN, form.length);
  while (length < form.length && text[at + length] === form[length]) length++;
  return length;
}
