import { defineConfig } from "tsdown";
import { library, nodeLibrary } from "../../tsdown.base.ts";

const entry = ["src/index.ts"];

export default defineConfig([library(entry), nodeLibrary(entry, [])]);
