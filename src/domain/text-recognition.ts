/** The command that installs text recognition with the English model. */
export const INSTALL_OCR = "npm install tesseract.js-core @tesseract.js-data/eng";

/** Part of every warning about scanned pages that were not read, by which such warnings are recognised. */
export const SCANS_NEED_OCR = "scanned pages need text recognition (OCR).";
