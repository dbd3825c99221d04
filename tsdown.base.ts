import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { UserConfig } from "tsdown";

/** TypeScript 7's executable, which the plugin that writes declarations takes. tsdown runs in a package's folder. */
function nativeCompiler(): string {
  const typescript = createRequire(resolve("../../node_modules/typescript-native/package.json"));
  const { platform, arch } = process;
  const home = dirname(typescript.resolve(`@typescript/typescript-${platform}-${arch}/package.json`));
  return join(home, "lib", platform === "win32" ? "tsc.exe" : "tsc");
}

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
