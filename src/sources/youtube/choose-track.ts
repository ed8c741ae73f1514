/** A caption track of a video. */
export interface CaptionTrack {
  readonly url: string;
  readonly language: string;
  readonly isAutomatic: boolean;
}

/**
 * Chooses the track in the first of the languages that the video has. Prefers manual captions to automatic captions,
 * and the exact language to its regional variants (RFC 4647, basic filtering). Returns `null` if no language matches.
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

/** Formats the languages of tracks for a message: `en, de (automatic)`. */
export function formatLanguages(tracks: readonly CaptionTrack[]): string {
  return tracks.map(({ language, isAutomatic }) => (isAutomatic ? `${language} (automatic)` : language)).join(", ");
}
