#!/usr/bin/env node
import { setMaxListeners } from "node:events";
import { runProgram } from "./program.ts";
import { toleratePipes } from "./ui/output.ts";

// All tool calls of a superstep listen to one signal: more than ten are no leak.
setMaxListeners(1_000);
toleratePipes();
process.exitCode = await runProgram(process.argv.slice(2));
