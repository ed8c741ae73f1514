/** The files that the build makes of `src/page`. Their names contain a hash of the content. */

/** The name of the script's file. */
export const script: string;
/** The names of the files that it imports before it starts. */
export const preloads: readonly string[];
/** The name of the style sheet's file. */
export const style: string;
export const files: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
