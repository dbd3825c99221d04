import { thrownText } from "@skein/errors";

/** Whatever was thrown, as an error; an error of another realm passes for one. */
export function asError(thrown: unknown): Error {
  return typeof thrown === "object" && thrown !== null && "message" in thrown
    ? (thrown as Error)
    : new Error(thrownText(thrown));
}
