/**
 * Extensions of images, audio, video, fonts, style sheets, archives, programs and feeds. Scripts are not included,
 * because `/wiki/Node.js` is a page.
 */
const NON_DOCUMENT_EXTENSIONS = new Set([
  ...["apng", "avif", "bmp", "cur", "gif", "heic", "heif", "ico", "jfif", "jpeg", "jpg", "png", "psd", "svg", "tif"],
  ...["tiff", "webp"],
  ...["aac", "aif", "aiff", "flac", "m4a", "mid", "midi", "mp3", "oga", "ogg", "opus", "wav", "weba", "wma"],
  ...["3gp", "avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "swf", "webm", "wmv"],
  ...["eot", "otf", "ttf", "woff", "woff2", "css"],
  ...["7z", "bz2", "cab", "gz", "lz4", "rar", "tar", "tbz2", "tgz", "txz", "whl", "xz", "zip", "zst", "jar", "war"],
  ...["apk", "appimage", "bin", "deb", "dll", "dmg", "exe", "img", "ipa", "iso"],
  ...["msi", "pkg", "rpm", "torrent", "wasm"],
  ...["rss", "atom"],
]);

/** Matches the MIME types of images, audio, video, fonts, style sheets, scripts and feeds. */
const NON_DOCUMENT_TYPE_PATTERN =
  /^(?:image|audio|video|font)\/|^text\/css$|^(?:text|application)\/(?:x-)?(?:java|ecma)script$|^application\/(?:rss|atom)\+xml$/;
/** Matches the MIME types of archives and programs. */
const ARCHIVE_TYPE_PATTERN =
  /^application\/(?:zip|gzip|wasm|vnd\.rar|java-archive|x-(?:zip-compressed|gzip|tar|bzip2?|xz|7z-compressed|rar-compressed|msdownload|iso9660-image))$/;

/** Whether a URL may lead to a document, judging by its extension. */
export function mayBeDocumentUrl({ pathname }: URL): boolean {
  const extension = /\.([a-z0-9]+)$/i.exec(pathname)?.[1]?.toLowerCase();
  return extension === undefined || !NON_DOCUMENT_EXTENSIONS.has(extension);
}

/** Whether a MIME type, given without parameters, is one that documents never have. */
export function isNonDocumentType(mimeType: string): boolean {
  return NON_DOCUMENT_TYPE_PATTERN.test(mimeType) || ARCHIVE_TYPE_PATTERN.test(mimeType);
}
