import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

/**
 * The serializer that LangGraph's savers have by default. It imports all of @langchain/core, so it is
 * imported when something is first serialized.
 */
export class JsonPlus implements SerializerProtocol {
  #loaded: Promise<SerializerProtocol> | undefined;

  async dumpsTyped(data: unknown): Promise<[string, Uint8Array]> {
    return (await this.#load()).dumpsTyped(data);
  }
  async loadsTyped(type: string, data: Uint8Array | string): Promise<unknown> {
    return (await this.#load()).loadsTyped(type, data) as Promise<unknown>;
  }
  #load(): Promise<SerializerProtocol> {
    // the package does not export its serializer by name
    return (this.#loaded ??= import("@langchain/langgraph-checkpoint").then(
      ({ MemorySaver }) => new MemorySaver().serde,
    ));
  }
}
