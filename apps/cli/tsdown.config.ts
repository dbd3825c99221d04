import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/main.ts"],
  format: "esm",
  platform: "node",
  dts: false,
  fixedExtension: false,
  sourcemap: true,
});
