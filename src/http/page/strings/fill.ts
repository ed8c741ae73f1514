import type { Plural } from "./plural.js";

/** Matches a place in a text, such as `{query}`. */
export const PLACE = /\{(\w+)\}/;

/** Puts values into the places of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(new RegExp(PLACE, "g"), (place, name: string) => values[name] ?? place);
}

/** Puts a number without separators into the place `{number}`, as for pages. */
export function fillNumber(text: string, number: number, locale: string): string {
  return fill(text, { number: new Intl.NumberFormat(locale, { useGrouping: false }).format(number) });
}

/** Puts a count into the plural form that it needs. */
export function fillCount(forms: Plural, count: number, locale: string): string {
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
  return fill(form, { number: new Intl.NumberFormat(locale).format(count) });
}
