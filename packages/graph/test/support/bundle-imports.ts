import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

export type BundleImport = Metafile["outputs"][string]["imports"][number];

/** What a file of our source, bundled with its like for Node, imports of other packages. */
export async function importsOf(file: string): Promise<BundleImport[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/${file}`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    conditions: ["@skein/source"],
    external: ["@langchain/*", "zod"],
    logLevel: "silent",
  });
  return Object.values(metafile.outputs).flatMap((output) => output.imports);
}
