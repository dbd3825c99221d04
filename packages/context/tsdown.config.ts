import { defineConfig } from "tsdown";
import { library } from "../../tsdown.base.ts";

export default defineConfig(library(["src/index.ts"]));
