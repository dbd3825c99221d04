#!/usr/bin/env node
import { runProgram } from "./program.ts";
import { toleratePipes } from "./ui/output.ts";

toleratePipes();
process.exitCode = await runProgram(process.argv.slice(2));
