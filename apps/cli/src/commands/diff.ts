import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { diffCheckpoints, type ChannelDiff } from "@skein/checkpointer";
import { toRecorded } from "@skein/context";
import pc from "picocolors";
import { EXIT } from "../errors.ts";
import { checkpointOf } from "../fork.ts";
import type { CommonOptions } from "../options.ts";
import { readThread } from "../thread.ts";
import { excerpt, label } from "../ui/format.ts";
import { json } from "../ui/json.ts";
import { describe, speaker } from "../ui/messages.ts";
import { createOutput, type Output } from "../ui/output.ts";

const EXCERPT = 100;

/** What changed between two checkpoints of a thread, channel by channel. */
export async function diff(
  thread: string,
  before: string,
  after: string,
  options: CommonOptions,
): Promise<number> {
  const found = await readThread(thread, options, async ({ saver }) => {
    const from = await checkpointOf(saver, thread, before, options.db);
    const to = await checkpointOf(saver, thread, after, options.db);
    return diffCheckpoints(saver, thread, from, to);
  });
  const output = createOutput(options.json);
  output.data(plain(found));
  for (const [channel, value] of Object.entries(found.added)) show(output, "+", channel, value);
  for (const [channel, value] of Object.entries(found.removed)) show(output, "-", channel, value);
  for (const [channel, change] of Object.entries(found.changed)) showChange(output, channel, change);
  const same = [found.added, found.removed, found.changed].every((part) => Object.keys(part).length === 0);
  if (same) output.line("Nothing differs.");
  return EXIT.ok;
}

/** Messages with role and content as other commands write them, and with all else: that alone may have changed. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (isMessage(value)) return plainMessage(value);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** One of another role than a conversation has stays as it is. */
const plainMessage = (message: BaseMessage): unknown =>
  /^(human|ai|system|tool)$/.test(message.type)
    ? { ...message.toDict().data, ...toRecorded(message) }
    : message;

const isMessage = (value: unknown): value is BaseMessage => isBaseMessage(value as BaseMessage);

function showChange(output: Output, channel: string, change: ChannelDiff): void {
  if (change.kind === "value") {
    show(output, "-", channel, change.before);
    show(output, "+", channel, change.after);
    return;
  }
  for (const element of change.removed) show(output, "-", channel, element);
  for (const { before, after } of change.changed) {
    show(output, "-", channel, before);
    show(output, "+", channel, after);
  }
  for (const element of change.added) show(output, "+", channel, element);
}

function show(output: Output, sign: "+" | "-", channel: string, value: unknown): void {
  // a conversation that is there or gone as a whole
  if (Array.isArray(value) && value.some(isMessage)) {
    for (const element of value as unknown[]) show(output, sign, channel, element);
    return;
  }
  const text = isMessage(value)
    ? `${speaker(value)}: ${describe(value, EXCERPT)}`
    : excerpt(json(value), EXCERPT);
  const colour = sign === "+" ? pc.green : pc.red;
  output.line(colour(`${sign} ${label(channel)}  ${text}`));
}
