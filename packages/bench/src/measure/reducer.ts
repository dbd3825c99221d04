import type { BaseMessage } from "@langchain/core/messages";
import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import { loadEngine, type Side } from "../sides.ts";
import { median, sample } from "../stats.ts";
import { answer } from "./conversation.ts";

/** Microseconds to add one message to a list of `length` that all have ids. */
export async function addMessage(side: Side, params: Params): Promise<Figures> {
  const list = Array.from({ length: numberOf(params, "length") }, (_, index) =>
    withId(answer(index), `m${index}`),
  );
  let next = list.length;
  // one object under new ids: making a message of 400 characters takes longer than copying the list
  const message = answer(next);
  const fresh = (): BaseMessage => withId(message, `m${next++}`);
  const act = side === "floor" ? () => floor(list, fresh()) : await engine(side, list, fresh);
  const samples = await sample(numberOf(params, "samples"), 50, act);
  return { perCall: median(samples) * 1000 };
}

function withId<M extends BaseMessage>(message: M, id: string): M {
  message.id = id;
  return message;
}

async function engine(side: "skein" | "langgraph", list: BaseMessage[], fresh: () => BaseMessage) {
  const { messagesStateReducer } = await loadEngine(side);
  return () => {
    const merged = messagesStateReducer(list, [fresh()]);
    if (merged.length !== list.length + 1) throw new Error("the reducer lost messages");
  };
}

/** A new list must be made: the old one belongs to a checkpoint. */
function floor(list: BaseMessage[], message: BaseMessage): void {
  const merged = [...list, message];
  if (merged.length !== list.length + 1) throw new Error("unreachable");
}
