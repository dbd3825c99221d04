/**
 * Where a stored value stands, as far as that says whether a bare text in it is a message: the name
 * of the channel whose value or update it is, or whose list it is an element of; or one of the names
 * below. Undefined anywhere else.
 */
export type Place = string | undefined;

/** An input or an update: its keys are channels, or it is the one channel's of a graph that has no keys. */
const UPDATE = "__root__";
const INPUT = "__start__";
const SENDS = "__pregel_tasks";
/** Interrupts of a task, which are answered by their ids. */
export const INTERRUPTS = "__interrupt__";
export const METADATA = "#metadata";
/** Updates by the nodes that made them, as LangGraph had them in its metadata. */
const BY_NODE = "#updates";
/** Versions of a long input: whole, or as `set` what changed. */
const RECORD = `#map:${INPUT}`;

export function placeOfChannel(channel: string): Place {
  return channel === INPUT ? UPDATE : channel;
}

/** Where a member of an object stands. The elements of a list stand where the list does. */
export function placeIn(place: Place, key: string): Place {
  // how engines store an update that replaces a value
  if (key === "__overwrite__") return place;
  switch (place) {
    case UPDATE:
      return key;
    case SENDS:
      return key === "args" ? UPDATE : undefined;
    case METADATA:
      return key === "writes" ? BY_NODE : undefined;
    case BY_NODE:
      return UPDATE;
    case RECORD:
      return key === "set" ? UPDATE : key;
    default:
      return undefined;
  }
}
