import { giveWay } from "./lower-thread-priority.js";
import { servePreparation } from "./serve.js";

// A workplace that is a process of its own. It ends with the one that started it.
giveWay();
const take = servePreparation((message) => process.send!(message));
process.on("message", take as (message: unknown) => void);
process.on("disconnect", () => process.exit());
