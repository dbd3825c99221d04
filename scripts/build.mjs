// npm run build: every package and app.
import { build, install } from "./steps.mjs";

await install();
await build("*");
