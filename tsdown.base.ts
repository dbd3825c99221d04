import type { UserConfig } from "tsdown";

/** How every public package is built: ESM and CJS, with types for both. */
export function library(entry: string[]): UserConfig {
  return {
    entry,
    format: ["esm", "cjs"],
    dts: true,
    sourcemap: true,
    platform: "neutral",
    fixedExtension: false,
  };
}
