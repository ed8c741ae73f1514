/** Whether most letters of texts are Hebrew or Arabic, so that they are read from right to left. */
export function isRightToLeft(texts: readonly string[]): boolean {
  let balance = 0;
  for (const text of texts) {
    balance += text.match(/[\u0590-\u08ff]/g)?.length ?? 0;
    balance -= text.match(/[a-z]/gi)?.length ?? 0;
  }
  return balance > 0;
}
