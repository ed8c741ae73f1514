import { parentPort } from "node:worker_threads";
import { type ReceivedPage, readPage } from "./read-page.js";

// Pages are read here, one after the other: a large one takes its time.
const port = parentPort!;
port.on("message", async (page: ReceivedPage) => port.postMessage(await readPage(page)));
