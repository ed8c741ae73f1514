const CAPTION_PATTERN = /^(?:table|figure|fig\.|tabelle|abbildung|tableau|tabla|figura)\s*(?:\d|[ivxlc]+\b|[a-z]\b)/i;

/** Whether a text is the caption of a table or figure: it begins with its number. */
export function isCaption(text: string): boolean {
  return CAPTION_PATTERN.test(text);
}
