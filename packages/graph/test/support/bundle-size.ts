import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

/** What a browser loads of a bundle, minified and gzipped, in bytes. */
export interface BundleSize {
  /** Before the program can start. */
  readonly atOnce: number;
  /** With everything that it may load later. */
  readonly all: number;
}

/** What a page may load for a `StateGraph`. */
export const LARGEST: BundleSize = { atOnce: 71 * 1024, all: 81 * 1024 };

/**
 * Bundles a program for a browser, with `@langchain/core` outside: whoever runs graphs has its messages
 * and models anyway.
 */
export async function bundleSize(program: string, resolveDir: string): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir, loader: "ts" },
    bundle: true,
    minify: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: "bundle",
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["@skein/source"],
    external: ["@langchain/core", "@langchain/core/*"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => [nameOf(path), gzipSync(contents, { level: 9 }).length]),
  );
  const sum = (names: Iterable<string>): number =>
    [...names].reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
  return {
    atOnce: sum(loaded(metafile, ["import-statement"])),
    all: sum(loaded(metafile, ["import-statement", "dynamic-import"])),
  };
}

/**
 * The entry and what it imports in these ways. esbuild also writes files that only code asks for which it
 * left out.
 */
function loaded({ outputs }: Metafile, ways: readonly string[]): Set<string> {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [nameOf(path), output]));
  const found = new Set(
    [...byName].flatMap(([name, { entryPoint }]) => (entryPoint === "<stdin>" ? [name] : [])),
  );
  for (const name of found) {
    for (const { path, kind } of byName.get(name)?.imports ?? []) {
      if (ways.includes(kind) && byName.has(nameOf(path))) found.add(nameOf(path));
    }
  }
  return found;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
