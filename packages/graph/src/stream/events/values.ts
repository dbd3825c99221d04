import { StreamChannel } from "./channel.ts";
import { keyOf, type Namespace } from "./protocol.ts";
import type { StreamTransformer } from "./transformer.ts";

/** Keeps the states of the graph at one place. */
export function createValuesTransformer(
  path: Namespace,
): StreamTransformer<{ _valuesLog: StreamChannel<Record<string, unknown>> }> {
  const log = StreamChannel.local<Record<string, unknown>>();
  const place = keyOf(path);
  return {
    init: () => ({ _valuesLog: log }),
    process({ method, params }) {
      if (method === "values" && keyOf(params.namespace) === place) {
        log.push(params.data as Record<string, unknown>);
      }
      return true;
    },
    finalize: () => log.close(),
    fail: (error) => log.fail(error),
  };
}
