/** Whether an image is truncated; decoders would return an image with an empty rest. */
export function isCutOff(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.toString("latin1", 0, 4);
  if (magic === "\x89PNG") return !view.includes("IEND", -64 * 1024, "latin1");
  if (magic === "RIFF") return view.readUInt32LE(4) > view.length;
  if (magic.startsWith("\xff\xd8")) return view.lastIndexOf("\xff\xd9", undefined, "latin1") < view.length / 2;
  if (magic === "GIF8") return view.lastIndexOf(0x3b) < view.length / 2;
  return magic.startsWith("BM") && view.readUInt32LE(2) > view.length;
}
