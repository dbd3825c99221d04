import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";

/**
 * LangGraph's savers take a serializer, often one that encrypts; ours have a codec, and would pass it over.
 *
 * @throws GraphError INVALID_CONFIGURATION when options are a serializer, or name one
 */
export function refuseSerializer(given: object, of: string): void {
  const { serde } = given as { readonly serde?: unknown };
  if (isSerializer(given) || isSerializer(serde)) throw passedOver(of);
}

/** Keeps the serializer that a saver shows: nothing would be stored with another one. */
export function keepSerializer(saver: { serde: SerializerProtocol }): void {
  const { serde } = saver;
  Object.defineProperty(saver, "serde", {
    enumerable: true,
    // nor may a subclass have a field of that name
    configurable: false,
    get: () => serde,
    set() {
      throw passedOver("a saver of Skein");
    },
  });
}

function isSerializer(value: unknown): boolean {
  const { dumpsTyped, loadsTyped } = Object(value) as Partial<SerializerProtocol>;
  return typeof dumpsTyped === "function" || typeof loadsTyped === "function";
}

function passedOver(of: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A serializer was given to ${of}, which would store everything without it: values become text by the option "codec" (createCodec). To encrypt what is stored, encrypt the disk or the database, or keep LangGraph's saver with this serializer.`,
  );
}
