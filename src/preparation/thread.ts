import { parentPort } from "node:worker_threads";
import { servePreparation } from "./serve-preparation.js";

// A workplace that is a thread.
const port = parentPort!;
port.on(
  "message",
  servePreparation((message) => port.postMessage(message)),
);
