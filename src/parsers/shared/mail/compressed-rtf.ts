const HEADER_BYTES = 16;
const COMPRESSED_SIGNATURE = "LZFu";
const UNCOMPRESSED_SIGNATURE = "MELA";
const DICTIONARY_BYTES = 4096;
/** The initial dictionary (MS-OXRTFCP, 2.1.2.1). */
const INITIAL_DICTIONARY = Buffer.from(
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor " +
    "MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n" +
    "\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx",
  "latin1",
);

/**
 * Decompresses the RTF body of an Outlook message (MS-OXRTFCP). Decompresses truncated data as far as it goes, and
 * returns data of an unknown format unchanged. The output is less than nine times as long as the input.
 */
export function decompressRtf(bytes: Uint8Array): Uint8Array {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signature = input.toString("latin1", 8, 12);
  if (signature === UNCOMPRESSED_SIGNATURE) return input.subarray(HEADER_BYTES, HEADER_BYTES + input.readUInt32LE(4));
  if (signature !== COMPRESSED_SIGNATURE) return bytes;
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  let writeOffset = INITIAL_DICTIONARY.copy(dictionary);
  const output: number[] = [];
  const append = (byte: number): void => {
    output.push(byte);
    dictionary[writeOffset] = byte;
    writeOffset = (writeOffset + 1) % DICTIONARY_BYTES;
  };
  for (let at = HEADER_BYTES; at < input.length; ) {
    const control = input[at++]!;
    for (let bit = 0; bit < 8 && at < input.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        append(input[at++]!);
        continue;
      }
      const reference = (input[at]! << 8) | (input[at + 1] ?? 0);
      at += 2;
      const copyOffset = reference >> 4;
      if (copyOffset === writeOffset) return Uint8Array.from(output);
      for (let i = 0; i < (reference & 15) + 2; i++) append(dictionary[(copyOffset + i) % DICTIONARY_BYTES]!);
    }
  }
  return Uint8Array.from(output);
}
