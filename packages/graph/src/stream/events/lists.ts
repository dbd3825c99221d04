import type { StreamChannel } from "./channel.ts";

/**
 * What readers see of a channel who want some of its items only. Each reader begins by itself.
 *
 * @param startAt - index of the first item of the channel
 */
export function selected<T, U>(
  channel: StreamChannel<T>,
  startAt: number,
  wants: (item: T) => boolean,
  shown: (item: T) => U,
): AsyncIterable<U> {
  return {
    [Symbol.asyncIterator]() {
      const items = channel.iterate(startAt);
      return {
        async next() {
          for (;;) {
            const { done, value } = await items.next();
            if (done) return { done, value: undefined };
            if (wants(value)) return { done: false, value: shown(value) };
          }
        },
      };
    },
  };
}
