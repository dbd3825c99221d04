import { GraphError } from "@skein/errors";
import type { BaseChannel } from "../channels/base.ts";
import { type Definition, define } from "../state/definition.ts";

/** Keys of all definitions stand in one state; where two have one key, they must mean the same. */
export class StateKeys {
  readonly channels = new Map<string, BaseChannel>();
  readonly #definitions = new Map<unknown, Definition>();

  /** @throws GraphError INVALID_STATE_SCHEMA when a key has another meaning already */
  define(init: unknown): Definition {
    const known = this.#definitions.get(init);
    if (known !== undefined) return known;
    const definition = define(init);
    for (const [key, channel] of definition.channels) {
      const present = this.channels.get(key);
      if (present === undefined || present.equals(channel) || channel.lc_graph_name === "LastValue") continue;
      throw new GraphError(
        "INVALID_STATE_SCHEMA",
        `Channel "${key}" already exists with a different type. Give it one reducer in all schemas.`,
        { details: { key } },
      );
    }
    for (const [key, channel] of definition.channels) {
      if (!this.channels.has(key)) this.channels.set(key, channel);
    }
    this.#definitions.set(init, definition);
    return definition;
  }
}
