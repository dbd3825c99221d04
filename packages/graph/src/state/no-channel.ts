import { StateGraphInputError } from "../errors/errors.ts";

/** For what is no channel, or one of another package whose kind is not known here. */
export function noChannel(key: string): StateGraphInputError {
  return new StateGraphInputError(
    `Key "${key}" of the state is no channel of @skein/graph. Use Annotation<T>().`,
    { details: { key } },
  );
}
