/** HTML that is safe to insert, since the values in it are escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template; `null` and `false` insert nothing. */
export type HtmlValue = string | number | Html | readonly Html[] | null | false;

/** Renders an HTML template. Escapes its values for text and quoted attributes, unless they are {@link Html}. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.map((part, index) => part + (index < values.length ? toText(values[index]!) : "")).join(""));
}

function toText(value: HtmlValue): string {
  if (value === null || value === false) return "";
  if (value instanceof Html) return value.text;
  return typeof value === "object" ? value.map(({ text }) => text).join("") : escapeHtml(String(value));
}

/** Escapes a value for text and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Encodes JSON for a `<script type="application/json">`, so that the JSON can't end the script. */
export function jsonForScript(value: unknown): Html {
  return new Html(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, toUnicodeEscape));
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
