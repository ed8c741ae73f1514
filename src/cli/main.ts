#!/usr/bin/env node
import { run } from "./run.js";
import { createProcessTerminal } from "./terminal.js";

process.exitCode = await run(process.argv.slice(2), createProcessTerminal());
