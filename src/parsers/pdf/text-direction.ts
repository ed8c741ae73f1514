/** Whether most letters of texts, in any script, are Hebrew or Arabic, so that they are read from right to left. */
export function isRightToLeft(texts: readonly string[]): boolean {
  let balance = 0;
  for (const text of texts) {
    balance += text.match(/[\u0590-\u08ff]/g)?.length ?? 0;
    balance -= text.match(/[^\P{L}\u0590-\u08ff]/gu)?.length ?? 0;
  }
  return balance > 0;
}
