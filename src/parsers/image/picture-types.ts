/** Pictures that can be read. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/tiff", "image/gif", "image/bmp", "image/webp"];
