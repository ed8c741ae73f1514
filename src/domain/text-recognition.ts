/** The command that installs text recognition with the English model. */
export const INSTALL_OCR = "npm install tesseract.js @tesseract.js-data/eng";

/** Part of every warning about pages that were ingested without their text. */
export const SCANS_NEED_OCR = "scanned pages need text recognition (OCR).";
