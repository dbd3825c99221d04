import * as theirChannels from "@langchain/langgraph/channels";
import * as theirPregel from "@langchain/langgraph/pregel";
import * as theirRemote from "@langchain/langgraph/remote";
import * as theirStream from "@langchain/langgraph/stream";
import * as theirZod from "@langchain/langgraph/zod";
import * as theirSchemas from "@langchain/langgraph/zod/schema";
import * as ourChannels from "@skein/graph/channels";
import * as ourPregel from "@skein/graph/pregel";
import * as ourRemote from "@skein/graph/remote";
import * as ourStream from "@skein/graph/stream";
import * as ourZod from "@skein/graph/zod";
import * as ourSchemas from "@skein/graph/zod/schema";
import { type LangGraph, oracle } from "./engines.ts";

/** The entry `./zod` of the engine that a program is written against. */
export function zodOf(lg: LangGraph): typeof theirZod {
  return lg === oracle.lg ? theirZod : (ourZod as unknown as typeof theirZod);
}

/** The entry `./channels` of the engine that a program is written against. */
export function channelsOf(lg: LangGraph): typeof theirChannels {
  return lg === oracle.lg ? theirChannels : (ourChannels as unknown as typeof theirChannels);
}

/** The entry `./zod/schema` of the engine that a program is written against. */
export function schemasOf(lg: LangGraph): typeof theirSchemas {
  return lg === oracle.lg ? theirSchemas : (ourSchemas as unknown as typeof theirSchemas);
}

/** The entry `./pregel` of the engine that a program is written against. */
export function pregelOf(lg: LangGraph): typeof theirPregel {
  return lg === oracle.lg ? theirPregel : (ourPregel as unknown as typeof theirPregel);
}

/** The entry `./remote` of the engine that a program is written against. */
export function remoteOf(lg: LangGraph): typeof theirRemote {
  return lg === oracle.lg ? theirRemote : (ourRemote as unknown as typeof theirRemote);
}

/** The entry `./stream` of the engine that a program is written against. */
export function streamOf(lg: LangGraph): typeof theirStream {
  return lg === oracle.lg ? theirStream : (ourStream as unknown as typeof theirStream);
}
