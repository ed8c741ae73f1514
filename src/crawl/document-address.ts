/**
 * Extensions of what is no document: pictures, sound, films, fonts, styles, archives, programs. Scripts aren't among them: `/wiki/Node.js`
 * is a page.
 */
const OTHERS = new Set([
  ...["apng", "avif", "bmp", "cur", "gif", "heic", "heif", "ico", "jfif", "jpeg", "jpg", "png", "psd", "svg", "tif"],
  ...["tiff", "webp"],
  ...["aac", "aif", "aiff", "flac", "m4a", "mid", "midi", "mp3", "oga", "ogg", "opus", "wav", "weba", "wma"],
  ...["3gp", "avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "swf", "webm", "wmv"],
  ...["eot", "otf", "ttf", "woff", "woff2", "css"],
  ...["7z", "bz2", "cab", "gz", "lz4", "rar", "tar", "tbz2", "tgz", "txz", "whl", "xz", "zip", "zst", "jar", "war"],
  ...[
    "apk",
    "appimage",
    "bin",
    "deb",
    "dll",
    "dmg",
    "exe",
    "img",
    "ipa",
    "iso",
    "msi",
    "pkg",
    "rpm",
    "torrent",
    "wasm",
  ],
  ...["rss", "atom"],
]);

/** Types of the same kind, as a `Content-Type` has them. */
const OTHER_TYPES =
  /^(?:image|audio|video|font)\/|^text\/css$|^(?:text|application)\/(?:x-)?(?:java|ecma)script$|^application\/(?:rss|atom)\+xml$/;
const ARCHIVES =
  /^application\/(?:zip|gzip|wasm|vnd\.rar|java-archive|x-(?:zip-compressed|gzip|tar|bzip2?|xz|7z-compressed|rar-compressed|msdownload|iso9660-image))$/;

/** Whether what stands at an address may be a document, as far as its extension tells. */
export function mayBeDocument({ pathname }: URL): boolean {
  const extension = /\.([a-z0-9]+)$/i.exec(pathname)?.[1]?.toLowerCase();
  return extension === undefined || !OTHERS.has(extension);
}

/** Whether a declared type, without parameters, is that of something else than a document. */
export function isOtherType(mimeType: string): boolean {
  return OTHER_TYPES.test(mimeType) || ARCHIVES.test(mimeType);
}
