import { fillCount, fillNumber } from "../http/page/strings/fill.js";
import type { Plural } from "../http/page/strings/plural.js";
import { config } from "./page-config.js";

const { language } = config;

/** The page's own texts, in the language that the server has chosen. */
export const { strings } = config;

/** For numbers and dates: the visitor's variant of that language. */
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;

export function withNumber(text: string, number: number): string {
  return fillNumber(text, number, locale);
}

export function withCount(forms: Plural, count: number): string {
  return fillCount(forms, count, locale);
}
