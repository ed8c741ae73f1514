/** Whether most letters of texts, in any script, are Hebrew or Arabic, so that they are read from right to left. */
export function isRightToLeft(texts: readonly string[]): boolean {
  // Counting the letters of all lines would take a fiftieth of a document's time.
  if (!texts.some((text) => /[\u0590-\u08ff]/.test(text))) return false;
  let balance = 0;
  for (const text of texts) {
    balance += text.match(/[\u0590-\u08ff]/g)?.length ?? 0;
    balance -= text.match(/[^\P{L}\u0590-\u08ff]/gu)?.length ?? 0;
  }
  return balance > 0;
}
