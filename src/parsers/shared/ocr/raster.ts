/** A greyscale image, one byte per pixel, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
}

/** An image, or a page that can be rendered as one, whose text is to be recognised. */
export interface RenderableImage {
  /** Width in points, as displayed. */
  readonly width: number;
  /** Height in points, as displayed. */
  readonly height: number;
  /** Renders the image with `scale` pixels per point. */
  render(scale: number): Promise<Raster>;
}

/** Number of rows of pixels to convert at a time. */
const STRIP_ROWS = 256;

/**
 * Converts RGBA on white to greyscale; inverts light text on a dark background.
 * @param pixelsOf Returns `rowCount` rows of pixels from the row `top` on, four bytes each: all rows at once would take
 * four times as much memory as the result.
 */
export function rasterOf(
  width: number,
  height: number,
  pixelsOf: (top: number, rowCount: number) => Uint8Array | Uint8ClampedArray,
): Raster {
  const grey = new Uint8Array(width * height);
  let darkCount = 0;
  for (let top = 0; top < height; top += STRIP_ROWS) {
    const rowCount = Math.min(STRIP_ROWS, height - top);
    const rgba = pixelsOf(top, rowCount);
    for (let i = top * width, at = 0; i < (top + rowCount) * width; i++, at += 4) {
      const value = (rgba[at]! * 77 + rgba[at + 1]! * 150 + rgba[at + 2]! * 29) >> 8;
      grey[i] = value;
      if (value < 96) darkCount++;
    }
  }
  if (darkCount > grey.length / 2) for (let i = 0; i < grey.length; i++) grey[i] = 255 - grey[i]!;
  return { width, height, grey };
}

/** Returns the image after `quarterTurns` clockwise quarter turns. */
export function rotated({ width, height, grey }: Raster, quarterTurns: number): Raster {
  if (quarterTurns === 0) return { width, height, grey };
  const result = new Uint8Array(grey.length);
  if (quarterTurns === 2) {
    for (let i = 0; i < grey.length; i++) result[grey.length - 1 - i] = grey[i]!;
    return { width, height, grey: result };
  }
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      result[quarterTurns === 1 ? x * height + (height - 1 - y) : (width - 1 - x) * height + y] = grey[i]!;
    }
  }
  return { width: height, height: width, grey: result };
}

/** Whether the image is almost empty. */
export function isBlank({ grey }: Raster): boolean {
  const counts = new Uint32Array(16);
  for (const value of grey) counts[value >> 4]!++;
  const background = counts.indexOf(Math.max(...counts));
  let foregroundCount = 0;
  for (let shade = 0; shade < 16; shade++) if (Math.abs(shade - background) > 2) foregroundCount += counts[shade]!;
  return foregroundCount < Math.max(12, grey.length * 0.00002);
}

/**
 * Whether lines of text run down the image, not across it: the number of dark pixels varies more between columns than
 * between rows.
 */
export function isSideways({ width, height, grey }: Raster): boolean {
  const darkCountByRow = new Float64Array(height);
  const darkCountByColumn = new Float64Array(width);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (grey[i]! > 128) continue;
      darkCountByRow[y]!++;
      darkCountByColumn[x]!++;
    }
  }
  return roughness(darkCountByColumn) * height ** -2 > roughness(darkCountByRow) * width ** -2;
}

/** Returns the mean squared difference between consecutive values. */
function roughness(values: Float64Array): number {
  let sum = 0;
  for (let i = 1; i < values.length; i++) sum += (values[i]! - values[i - 1]!) ** 2;
  return sum / values.length;
}

/** Encodes the image as a PGM file. */
export function toPgm({ width, height, grey }: Raster): Uint8Array<ArrayBuffer> {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1");
  const file = new Uint8Array(header.length + grey.length);
  file.set(header);
  file.set(grey, header.length);
  return file;
}
