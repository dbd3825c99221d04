import { createRequire } from "node:module";
import { dirname, join, parse } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions, type Plugin } from "esbuild";

/**
 * Bundles programs into a folder and returns the scripts to run: running TypeScript through tsx would
 * measure its `keepNames` wrappers and take a second to start.
 *
 * @param packages - our own packages as they are in the repository, bundled with the program, so that a
 *   stale build is not yesterday's code; or as they are published, which is what users load
 */
export async function bundlePrograms(
  entryPoints: string[],
  outdir: string,
  packages: "source" | "published" = "source",
): Promise<string[]> {
  await build({
    entryPoints,
    outbase: dirname(entryPoints[0] as string),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    ...(packages === "source" && { conditions: ["@skein/source"] }),
    logLevel: "error",
    plugins: [staysOutside(packages === "source" ? isOurs : () => false)],
  });
  return entryPoints.map((entry) => join(outdir, `${parse(entry).name}.mjs`));
}

/**
 * Bundles a program that is started very often, together with everybody's packages, and returns the
 * script to run: it starts in a third of the CPU time of one that imports LangChain's files.
 *
 * @param entryPoint - without `await` at its top level, which a script cannot have
 */
export async function bundleQuickStart(entryPoint: string, outdir: string): Promise<string> {
  const shared: BuildOptions = {
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    logLevel: "error",
  };
  const start = join(outdir, "start.cjs");
  await Promise.all([
    build({ ...shared, entryPoints: [join(import.meta.dirname, "quick-start.ts")], outfile: start }),
    build({
      ...shared,
      entryPoints: [entryPoint],
      outfile: join(outdir, "program.cjs"),
      conditions: ["@skein/source"],
      // savers find their drivers from there
      define: { "import.meta.url": JSON.stringify(pathToFileURL(entryPoint).href) },
      plugins: [nativeStaysOutside],
    }),
  ]);
  return start;
}

/** Drivers bring libraries of the machine; `pg` asks for another driver that need not be there. */
const nativeStaysOutside: Plugin = {
  name: "native-stays-outside",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^(libsql|pg-native)$/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === "inner") return undefined;
      const found = await resolve(path, { kind, resolveDir, pluginData: "inner" });
      return { path: found.path || path, external: true };
    });
  },
};

const isOurs = (name: string): boolean => name.startsWith("@skein/");

/** Packages are imported as they were published, but for those that are bundled. */
function staysOutside(bundled: (name: string) => boolean): Plugin {
  return {
    name: "packages-stay-outside",
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (bundled(path) || pluginData === "inner") return undefined;
        if (path.startsWith("node:")) return { path, external: true };
        const found = await resolve(path, { kind, resolveDir, pluginData: "inner" });
        return found.errors.length > 0 ? found : { path: found.path, external: true };
      });
    },
  };
}

/** The version of an installed package, read from beside its entry. */
export function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  for (let folder = dirname(require.resolve(name)); folder !== "/"; folder = dirname(folder)) {
    try {
      const { name: found, version } = require(join(folder, "package.json")) as {
        name?: string;
        version?: string;
      };
      if (found === name && version !== undefined) return version;
    } catch {
      // not the folder of the package's own package.json
    }
  }
  return "unknown";
}
