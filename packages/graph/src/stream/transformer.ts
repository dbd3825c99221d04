/** What a run reports, as clients of its event stream see it. */
export interface ProtocolEvent {
  readonly type: "event";
  /** Grows within a run. */
  readonly seq: number;
  /** Which kind of event, such as "messages" or "updates". */
  readonly method: string;
  readonly params: {
    readonly namespace: string[];
    /** Milliseconds since 1970. */
    readonly timestamp: number;
    readonly node?: string;
    readonly data: unknown;
  };
}

/** Reads the events of a run and makes something of them that is easier to read. */
export interface StreamTransformer<Projection = unknown> {
  /** What readers of the run get from it. */
  init(): Projection;
  /** Sees each event; false keeps it from those that come after. */
  process(event: ProtocolEvent): boolean;
  /** The run has ended. */
  finalize?(): void | PromiseLike<void>;
  /** The run has failed. */
  fail?(error: unknown): void;
}
