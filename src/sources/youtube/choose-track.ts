/** A transcript that a video has. */
export interface CaptionTrack {
  readonly address: string;
  readonly language: string;
  readonly isAutomatic: boolean;
}

/**
 * The track of the first language that there is one of. A language also means its regional forms (RFC 4647, basic filtering): `en` finds
 * `en-US`, and `en` itself before it; what a person wrote comes before what a machine heard. Null where there is none.
 */
export function chooseTrack(tracks: readonly CaptionTrack[], languages: readonly string[]): CaptionTrack | null {
  for (const wanted of languages) {
    const range = wanted.toLowerCase();
    const matching = tracks.filter(({ language }) => `${language.toLowerCase()}-`.startsWith(`${range}-`));
    const rank = ({ language, isAutomatic }: CaptionTrack) =>
      (isAutomatic ? 2 : 0) + (language.toLowerCase() === range ? 0 : 1);
    const [best] = matching.sort((a, b) => rank(a) - rank(b));
    if (best !== undefined) return best;
  }
  return null;
}

/** The languages of tracks, for a message: `en, de (automatic)`. */
export function languagesOf(tracks: readonly CaptionTrack[]): string {
  return tracks.map(({ language, isAutomatic }) => (isAutomatic ? `${language} (automatic)` : language)).join(", ");
}
