/** A text with the place `{number}`, in the plural forms that its language has. */
export type Plural = { readonly other: string } & { readonly [Form in Intl.LDMLPluralRule]?: string };

export function plural(forms: Plural): Plural {
  return forms;
}
