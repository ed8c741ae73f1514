/** The line that installs text recognition with the model of English. */
export const INSTALL_OCR = "npm install tesseract.js @tesseract.js-data/eng";

/** Stands in every warning of pages that were ingested without their text. */
export const SCANS_NEED_OCR = "scanned pages need text recognition (OCR).";
