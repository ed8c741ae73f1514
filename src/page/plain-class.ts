/** Code and logs are files of plain text as well: all but those without an extension or with that of prose. */
export function plainClass(title: string): string {
  return /\.(?!te?xt$)[a-z]\w*$/i.test(title) ? "plain monospace" : "plain";
}
