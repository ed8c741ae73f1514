// Prints how many tests passed, failed and were skipped, from vitest's JSON report.
import { existsSync, readFileSync } from "node:fs";

const [path] = process.argv.slice(2);
// Without a report nothing ran: the build failed.
const report = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { numFailedTests: 1, testResults: [] };
// A file that could not be loaded has no test that failed, and must count all the same.
const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
const passed = report.numPassedTests ?? 0;
const failed = report.numFailedTests + unloaded.length;
const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
