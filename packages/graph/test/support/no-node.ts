import { builtinModules } from "node:module";
import type { Plugin } from "esbuild";

const builtIn = new Set(builtinModules);

/** Refuses what only Node has, and names who asked for it. */
export const noNode: Plugin = {
  name: "no-node",
  setup({ onResolve }) {
    onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, importer }) =>
      path.startsWith("node:") || builtIn.has(path)
        ? { errors: [{ text: `${path} is imported by ${importer}` }] }
        : undefined,
    );
  },
};
