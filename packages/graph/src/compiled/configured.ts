import { Runnable } from "@langchain/core/runnables";
import type { Program } from "../program/program.ts";
import type { TransformerFactory } from "../stream/events/transformer.ts";
import type { CompiledSettings } from "./prepare.ts";

/** What a compiled graph was compiled with, and may be told later. */
export abstract class ConfiguredGraph extends Runnable {
  settings: CompiledSettings;

  constructor(settings: CompiledSettings) {
    super();
    this.settings = settings;
    // a field of LangChain's class, which programs set when the graph is compiled
    Object.defineProperty(this, "name", {
      get: () => this.settings.name,
      set: (name: string | undefined) => {
        this.settings = { ...this.settings, name };
      },
      enumerable: true,
      configurable: true,
    });
  }
  get program(): Program {
    return this.settings.program;
  }
  /** Where threads are kept; to be set before the first call, as `langchain`'s agents do. */
  get checkpointer(): CompiledSettings["checkpointer"] {
    return this.settings.checkpointer;
  }
  set checkpointer(checkpointer: CompiledSettings["checkpointer"]) {
    this.settings = { ...this.settings, checkpointer };
  }
  get store(): CompiledSettings["store"] {
    return this.settings.store;
  }
  set store(store: CompiledSettings["store"]) {
    this.settings = { ...this.settings, store };
  }
  /** Whether every step is printed to the console. */
  get debug(): boolean {
    return this.settings.debug === true;
  }
  set debug(debug: boolean) {
    this.settings = { ...this.settings, debug };
  }
  /** Milliseconds that one superstep may take; undefined: no limit. */
  get stepTimeout(): number | undefined {
    return this.settings.stepTimeout;
  }
  set stepTimeout(stepTimeout: number | undefined) {
    this.settings = { ...this.settings, stepTimeout };
  }
  /** What runs that are followed by `streamEvents` with version "v3" are shown through. */
  get streamTransformers(): readonly TransformerFactory[] {
    return this.settings.streamTransformers ?? [];
  }
}
