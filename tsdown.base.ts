import type { UserConfig } from "tsdown";
// not exported, and the plugin that writes declarations takes the executable only
import nativeCompiler from "./node_modules/typescript-native/lib/getExePath.js";

/** How every public package is built: ESM and CJS, with types for both. */
export function library(entry: string[]): UserConfig {
  return {
    entry,
    format: ["esm", "cjs"],
    // without the source condition: other packages are read as the declarations that are built before
    tsconfig: "tsconfig.build.json",
    dts: { tsgo: { path: nativeCompiler() } },
    sourcemap: true,
    platform: "neutral",
    fixedExtension: false,
  };
}
