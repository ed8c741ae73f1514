/** The command that installs text recognition with the English model. */
export const INSTALL_OCR = "npm install tesseract.js @tesseract.js-data/eng";

/** The text by which warnings about scanned pages without their text are recognised. */
export const SCANS_NEED_OCR = "scanned pages need text recognition (OCR).";
