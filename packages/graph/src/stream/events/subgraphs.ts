import type { StreamChannel } from "./channel.ts";
import { selected } from "./lists.ts";
import type { StreamHandle, StreamMux, SubgraphDiscovery } from "./mux.ts";
import { isChild, type Namespace } from "./protocol.ts";
import type { NativeStreamTransformer } from "./transformer.ts";

export interface SubgraphDiscoveryProjection<Stream extends StreamHandle = StreamHandle> {
  _discoveries: StreamChannel<SubgraphDiscovery>;
  /** Of the graphs that nodes of the root graph call. */
  subgraphs: AsyncIterable<Stream>;
}

export interface SubgraphDiscoveryTransformerOptions<Stream extends StreamHandle = StreamHandle> {
  /** @param discoveryStart - how many graphs were known @param eventStart - how many events there were */
  createStream: (path: Namespace, discoveryStart: number, eventStart: number) => Stream;
}

/** Streams of the graphs that are called by nodes of the graph at `path`. */
export function filterSubgraphHandles<Stream extends StreamHandle = StreamHandle>(
  log: StreamChannel<SubgraphDiscovery>,
  path: Namespace,
  startAt = 0,
): AsyncIterable<Stream> {
  return selected(
    log,
    startAt,
    ({ ns }) => isChild(ns, path),
    ({ stream }) => stream as Stream,
  );
}

/**
 * Makes a run stream for every task of the root graph that calls a graph or a model, when it is first
 * heard of. What these call in turn is part of their streams.
 */
export function createSubgraphDiscoveryTransformer<Stream extends StreamHandle = StreamHandle>(
  mux: StreamMux,
  { createStream }: SubgraphDiscoveryTransformerOptions<Stream>,
): NativeStreamTransformer<SubgraphDiscoveryProjection<Stream>> {
  const known = new Set<string>();
  return {
    __native: true,
    init: () => ({
      _discoveries: mux._discoveries,
      subgraphs: filterSubgraphHandles<Stream>(mux._discoveries, []),
    }),
    process({ params }) {
      const [first] = params.namespace;
      if (first === undefined || known.has(first)) return true;
      known.add(first);
      const ns = [first];
      const stream = createStream(ns, mux._discoveries.size, mux._events.size);
      mux.register(ns, stream);
      mux._discoveries.push({ ns, stream });
      return true;
    },
  };
}
