/** Supported image types. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/tiff", "image/gif", "image/bmp", "image/webp"];
