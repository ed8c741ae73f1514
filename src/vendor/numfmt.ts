// Its package names a file for `require` that it lacks, so tools that compile imports to `require` can't load it: the
// build makes a file of it that they can.
export { format, getFormatDateInfo, getFormatFromId, isDateFormat } from "numfmt";
