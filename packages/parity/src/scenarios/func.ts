import { calling, streaming } from "./func-calls.ts";
import { context, memory } from "./func-memory.ts";
import { failing, stops } from "./func-stops.ts";

/** The functional API. */
export const func = [...calling, ...streaming, ...memory, ...context, ...stops, ...failing];
