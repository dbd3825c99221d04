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

/**
 * The same for Node, where loading a file takes as long as parsing forty kilobytes: what the entries of
 * `core` reach is one file, without comments and with short names within functions. Bundlers for the web
 * can't leave parts of such a file out.
 */
export function nodeLibrary(entry: string[], core: string[]): UserConfig {
  return {
    entry,
    format: "esm",
    outDir: "dist/node",
    // the folder is inside the other build's, which cleans both
    clean: false,
    tsconfig: "tsconfig.build.json",
    dts: false,
    sourcemap: true,
    platform: "node",
    fixedExtension: false,
    // lines, functions and what is exported keep their names: only what is local is shortened
    minify: {
      compress: false,
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: false },
    },
    outputOptions: {
      comments: { jsdoc: false },
      codeSplitting: { groups: [{ name: coreOf(core.map((file) => resolve(file))) }] },
    },
  };
}

interface Chunking {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

function coreOf(entries: readonly string[]): (id: string, chunking: Chunking) => string | null {
  let reached: Set<string> | undefined;
  return (id, chunking) => {
    if (reached === undefined) {
      reached = new Set(entries);
      for (const file of reached) {
        for (const imported of chunking.getModuleInfo(file)?.importedIds ?? []) reached.add(imported);
      }
    }
    return reached.has(id) ? "core" : null;
  };
}
