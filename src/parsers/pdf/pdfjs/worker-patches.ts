/** A passage of the source of pdfjs' worker, which must occur exactly once, and what replaces it. */
export type Patch = readonly [original: string, replacement: string];

/**
 * The worker keeps what it has made of every page, most of it of links: a third of the memory that pages take. An object
 * that is needed again may be in a stream of thousands, all of which are then read again, so nothing is forgotten from
 * then on.
 */
const PAGES: readonly Patch[] = [
  [
    "    this.#pagePromises.set(pageIndex, promise);\n    return promise;\n  }\n  async checkFirstPage",
    `    this.#pagePromises.set(pageIndex, promise);
    if (this.#pagePromises.size > 8) {
      const [oldest, page] = this.#pagePromises.entries().next().value;
      this.#pagePromises.delete(oldest);
      const { forgotten, _cacheMap: cache } = this.xref;
      const forget = ({ annotations }) => {
        for (const ref of annotations) if (ref instanceof Ref && cache.delete(ref.num)) forgotten.add(ref.num);
      };
      // Whoever asked for the page is told that it is damaged.
      if (this.xref.forgets) page.then(forget).catch(() => {});
    }
    return promise;
  }
  async checkFirstPage`,
  ],
  [
    "    this._cacheMap = new Map();\n",
    "    this._cacheMap = new Map();\n    this.forgets = true;\n    this.forgotten = new Set();\n",
  ],
  [
    "    let xrefEntry = this.getEntry(num);\n    if (xrefEntry === null) {\n",
    `    if (this.forgotten.has(num)) this.forgets = false;
    let xrefEntry = this.getEntry(num);
    if (xrefEntry === null) {
`,
  ],
];

/** Of fonts, only the mapping to Unicode, the widths and the name are used. */
const FONTS: readonly Patch[] = [
  // If the document maps the font's characters, the font file adds nothing.
  [
    "    [type, subtype] = getFontFileType(file, properties);\n",
    `    if (properties.hasIncludedToUnicodeMap || properties.baseEncodingName) {
      amendFallbackToUnicode(properties);
      return;
    }
    [type, subtype] = getFontFileType(file, properties);
`,
  ],
  // The font's encoding is complete at this point.
  ["    let glyphZeroId = 1;\n", "    return null;\n    let glyphZeroId = 1;\n"],
  // The font's name shows whether the font is bold, which otherwise only a page's operator list would show.
  [
    "          vertical: font.vertical\n        };",
    "          vertical: font.vertical, name: font.name, bold: font.bold, black: font.black\n        };",
  ],
];

/** The text and its places stay the same, but are found with fewer waits and objects. */
const TEXT: readonly Patch[] = [
  // Sends fewer chunks of text, each of which costs as much as several letters.
  ["const TEXT_CHUNK_BATCH_SIZE = 10;", "const TEXT_CHUNK_BATCH_SIZE = 500;"],
  // Otherwise, once it had a hundred items, the worker would wait after each operation until the chunk was full.
  [
    "        if (textContent.items.length >= (sink?.desiredSize ?? 1)) {\n",
    "        if (textContent.items.length >= TEXT_CHUNK_BATCH_SIZE) {\n",
  ],
  // A page sets the same few fonts many times; only the first time is there anything to wait for.
  [
    "      const translated = await self.loadFont(fontName, fontRef, resources, task);\n",
    `      const translated = await self.loadFont(fontName, fontRef, resources, task);
      if (fontName !== null) loadedFonts.set(fontName, translated);
      setLoadedFont(translated);
    }
    const loadedFonts = new Map();
    function setLoadedFont(translated) {
`,
  ],
  [
    "            next(handleSetFont(fontNameArg, null));\n",
    `            if (loadedFonts.has(fontNameArg)) {
              setLoadedFont(loadedFonts.get(fontNameArg));
              break;
            }
            next(handleSetFont(fontNameArg, null));
`,
  ],
  // The position is calculated twice for each letter: by the same sums and products, but without three new arrays.
  [
    "    function getCurrentTextTransform() {\n",
    `    const currentPosition = [0, 0, 0, 0, 0, 0];
    function getCurrentTextTransform(result = [0, 0, 0, 0, 0, 0]) {
`,
  ],
  [
    "      const tsm = [textState.fontSize * textState.textHScale, 0, 0, textState.fontSize, 0, textState.textRise];\n",
    "      const xScale = textState.fontSize * textState.textHScale;\n      let yScale = textState.fontSize;\n",
  ],
  ["          tsm[3] *= glyphHeight * textState", "          yScale *= glyphHeight * textState"],
  [
    "      return Util.transform(textState.ctm, Util.transform(textState.textMatrix, tsm));\n",
    `      const { ctm, textMatrix: m, textRise } = textState;
      const a = m[0] * xScale, b = m[1] * xScale, c = m[2] * yScale, d = m[3] * yScale;
      const e = m[2] * textRise + m[4], f = m[3] * textRise + m[5];
      result[0] = ctm[0] * a + ctm[2] * b;
      result[1] = ctm[1] * a + ctm[3] * b;
      result[2] = ctm[0] * c + ctm[2] * d;
      result[3] = ctm[1] * c + ctm[3] * d;
      result[4] = ctm[0] * e + ctm[2] * f + ctm[4];
      result[5] = ctm[1] * e + ctm[3] * f + ctm[5];
      return result;
`,
  ],
  [
    "      const currentTransform = getCurrentTextTransform();\n",
    "      const currentTransform = getCurrentTextTransform(currentPosition);\n",
  ],
  [
    "          textChunk.prevTransform = getCurrentTextTransform();\n",
    "          textChunk.prevTransform = getCurrentTextTransform(textChunk.prevTransform ?? undefined);\n",
  ],
  // The position of the last letter, which changes with the next one.
  ["        height,\n        transform,\n", "        height,\n        transform: transform?.slice(),\n"],
  // V8 reads the properties of an object more slowly once it is the prototype of another.
  [
    "    const clone = Object.assign(Object.create(this), this);\n",
    "    const clone = Object.assign(Object.create(TextState.prototype), this);\n",
  ],
  // Would leave out ligatures of TeX's first encoding, which have the codes of white space.
  [
    String.raw`new RegExp("^(\\s)|(\\p{Mn})|(\\p{Cf})$", "u")`,
    String.raw`new RegExp("^([^\\S\\x0b-\\x0d])|(\\p{Mn})|(\\p{Cf})$", "u")`,
  ],
  // Would leave out visible hyphens that files map to soft ones.
  [
    "        if (category.isInvisibleFormatMark) {\n",
    '        if (category.isInvisibleFormatMark && !(glyph.unicode === "\\xad" && glyph.width > 0)) {\n',
  ],
  // The text under links and highlights isn't used, and would be found by reading the page a second time.
  ["      } else if (annotation.overlaysTextContent && isVisible) {\n", "      } else if (false) {\n"],
];

/** Of drawings, only lines, areas and their colours are used, and whether and where there are text and images. */
const DRAWINGS: readonly Patch[] = [
  [
    "        let fn = operation.fn;\n",
    `        let fn = operation.fn;
        if (textOperations.has(fn)) {
          if (operatorList.fnArray.at(-1) !== OPS.showText) operatorList.addOp(OPS.showText, []);
          continue;
        }
        if (!drawingOperations.has(fn)) continue;
`,
  ],
  // Images that are too large to be decoded.
  [
    `      const msg = "Image exceeded maximum allowed size and was removed.";
      if (!ignoreErrors) {
        throw new Error(msg);
      }
      warn(msg);
`,
    "      operatorList.addOp(OPS.paintImageXObject, [null, w, h]);\n",
  ],
  // Drawings stay in the thread.
  ["    }, 1, this._transfers);\n", "    }, 1);\n"],
];

/** Characters of a form in XFA; data of thousands of rows has a few million. */
const MAX_XFA_CHARACTERS = 16 * 1024 * 1024;
/** Nesting depth of elements in the file of a form; those of templates of real forms are nested about 30 deep. */
const MAX_XFA_DEPTH = 200;
/** Elements in the file of a form. */
const MAX_XFA_ELEMENTS = 200_000;
/** Copies of elements that prototypes make; each takes up to 5 KB. */
const MAX_XFA_PROTOTYPE_COPIES = 20_000;
/** Copies of elements in total; 2,000 rows of 8 fields have 130,000. */
const MAX_XFA_COPIES = 150_000;

/** A form in XFA beyond a limit is not laid out: pdfjs has none, and a template of 2 KB may expand to gigabytes. */
const FORMS: readonly Patch[] = [
  [
    "      this.root = new XFAParser().parse(XFAFactory._createDocument(data));\n",
    `      const xml = XFAFactory._createDocument(data);
      if (xml.length > ${MAX_XFA_CHARACTERS}) throw new Error("too long");
      this.root = new XFAParser().parse(xml);
      if (this.root?.template) this.root.template[$globalData].maxCopies = ${MAX_XFA_COPIES};
`,
  ],
  [
    "      usedTypefaces: new Set()\n    };\n",
    `      usedTypefaces: new Set(),
      elements: 0,
      copies: 0,
      maxCopies: ${MAX_XFA_PROTOTYPE_COPIES}
    };
`,
  ],
  [
    "    this._stack.push(this._current);\n    this._current = node;\n",
    `    if (this._stack.length >= ${MAX_XFA_DEPTH}) throw new Error("nested too deeply");
    this._stack.push(this._current);
    this._current = node;
`,
  ],
  [
    "    node[$globalData] = this._globalData;\n    if (isEmpty) {\n",
    `    node[$globalData] = this._globalData;
    if (++this._globalData.elements > ${MAX_XFA_ELEMENTS}) throw new Error("too many elements");
    if (isEmpty) {
`,
  ],
  [
    "  [$clone]() {\n    const clone = Object.create(",
    `  [$clone]() {
    const counted = this[$globalData];
    if (counted && ++counted.copies > counted.maxCopies) throw new Error("too many copies");
    const clone = Object.create(`,
  ],
];

/** The attributes of a cell are a dictionary, or a list of dictionaries. */
const STRUCTURE: readonly Patch[] = [
  [
    '      const lang = node.dict.get("Lang");\n      if (typeof lang === "string") {\n        obj.lang',
    `      if (obj.role === "TH" || obj.role === "TD") {
        const lists = Array.isArray(a) ? a.map((each) => node.dict.xref.fetchIfRef(each)) : [a];
        for (const attributes of lists) {
          if (!(attributes instanceof Dict)) continue;
          const rows = attributes.get("RowSpan"), columns = attributes.get("ColSpan");
          if (rows > 1 || columns > 1) obj.span = [rows ?? 1, columns ?? 1];
        }
      }
      const lang = node.dict.get("Lang");
      if (typeof lang === "string") {
        obj.lang`,
  ],
];

const STREAMS: readonly Patch[] = [
  [
    "    try {\n      const {\n        readable,\n        writable\n      } = new DecompressionStream(name);",
    `    try {
      if (name === "deflate") return { decompressed: inflate(bytes), compressed: bytes };
      const {
        readable,
        writable
      } = new DecompressionStream(name);`,
  ],
];

/**
 * Makes the worker read only text, lines and areas, and return its message handler. The patches use `inflate`, a
 * function, and `drawingOperations` and `textOperations`, sets of numbers.
 */
export const TEXT_PATCHES: readonly Patch[] = [
  ...PAGES,
  ...FONTS,
  ...TEXT,
  ...DRAWINGS,
  ...FORMS,
  ...STRUCTURE,
  ...STREAMS,
  // Pages are rendered by another worker, which pdfjs must not confuse with this one.
  ["globalThis.pdfjsWorker = {\n  WorkerMessageHandler: WorkerMessageHandler\n};\n", ""],
  ["export { WorkerMessageHandler };", "return WorkerMessageHandler;"],
];

/**
 * Makes the worker shrink images before it sends them, but not those that it keeps for other pages, which may show them
 * larger. Images that it converts to RGB are shrunk while they are converted: whole, a page of grey scanned at 600 dpi
 * would take 105 MB. Their bytes are freed: a stream is decoded anew for each use, but those of inline images are kept. The
 * patches use the functions `shrink`, `shrinkRows` and `freeBuffer`.
 */
export const RENDERING_PATCHES: readonly Patch[] = [
  [
    "  _sendImgData(objId, imgData, cacheGlobally = false) {\n",
    `  _sendImgData(objId, imgData, cacheGlobally = false) {
    if (imgData !== null && !cacheGlobally && !this.parsingType3Font) imgData = shrink(imgData);
`,
  ],
  [
    `      imgData = await imageObj.createImageData(false, isOffscreenCanvasSupported);
`,
    `      imageObj.mayShrink = !cacheGlobally && !this.parsingType3Font && !isInline;
      imgData = await imageObj.createImageData(false, isOffscreenCanvasSupported);
`,
  ],
  ["      imgData.ref = imageRef;\n", "      if (!imageObj.isShrunk) imgData.ref = imageRef;\n"],
  [
    `        imgData.kind = ImageKind.RGB_24BPP;
        data = new Uint8ClampedArray(drawWidth * drawHeight * 3);
`,
    `        const isResized = drawWidth !== originalWidth || drawHeight !== originalHeight;
        if (this.mayShrink && !this.needsDecode && !isResized && actualHeight === drawHeight) {
          const rowLength = originalWidth * numComps;
          const shrunk = shrinkRows(imgData, (rgb, top, count) => {
            const part = comps.subarray(top * rowLength, (top + count) * rowLength);
            this.colorSpace.fillRgb(rgb, originalWidth, count, originalWidth, count, count, bpc, part, 0);
          });
          if (shrunk !== null) {
            this.isShrunk = true;
            if (this.image instanceof DecodeStream) freeBuffer(imgArray);
            return shrunk;
          }
        }
        imgData.kind = ImageKind.RGB_24BPP;
        data = new Uint8ClampedArray(drawWidth * drawHeight * 3);
`,
  ],
  ["export { WorkerMessageHandler };", ""],
];

/**
 * Patches the source of pdfjs' worker as the body of a function. Returns `null` if a passage to replace is missing, as
 * in another version of pdfjs, or overlaps with another one.
 */
export function applyPatches(source: string, patches: readonly Patch[]): string | null {
  const edits: { readonly start: number; readonly end: number; readonly replacement: string }[] = [];
  for (const [original, replacement] of patches) {
    const start = source.indexOf(original);
    if (start === -1 || source.includes(original, start + 1)) return null;
    edits.push({ start, end: start + original.length, replacement });
  }
  edits.sort((a, b) => a.start - b.start);
  // Joined once: the source takes 5 MB, and a copy for each patch would take 170 MB until garbage is collected.
  const parts = ['"use strict";'];
  let position = 0;
  for (const { start, end, replacement } of edits) {
    if (start < position) return null;
    parts.push(source.slice(position, start), replacement);
    position = end;
  }
  return parts.concat(source.slice(position)).join("");
}
