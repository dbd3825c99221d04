import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { requireMessages } from "../messages/given.ts";
import { isAssistant, isToolResult, isUser, toolCallsOf } from "../messages/kinds.ts";
import { CallMatcher } from "./matching.ts";

/** An assistant message with tool calls and where the result of each call stands. */
export interface ToolChain {
  /** Position of the assistant message. */
  readonly index: number;
  /** Per call, in the order of the calls: the position of its result, or `undefined` if there is none. */
  readonly results: readonly (number | undefined)[];
  /** Last position that belongs to the chain. */
  readonly last: number;
}

/** A tool result without a call: none with its id came before it, or that call is answered already. */
export interface Orphan {
  readonly index: number;
  readonly reason: "no-call" | "answered";
}

/**
 * A piece of a list that a window takes whole or not at all: one message, or a tool chain with
 * everything that stands between its call and its last result. `start` inclusive, `end` exclusive.
 */
export interface Unit {
  readonly start: number;
  readonly end: number;
}

/** What in a list belongs together. */
export interface Structure {
  readonly chains: readonly ToolChain[];
  readonly orphans: readonly Orphan[];
  /** Cover the list without gap or overlap, in order. */
  readonly units: readonly Unit[];
}

interface OpenChain {
  readonly index: number;
  readonly results: (number | undefined)[];
  last: number;
  /** No user or assistant message since: results may still come. */
  pending: boolean;
}

/**
 * Finds the tool chains of a list. Calls that use an id again are told apart: see {@link CallMatcher}.
 *
 * @throws GraphError INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * const { units } = structureOf(messages);
 * const newest = messages.slice(units.at(-1)?.start); // never starts on an orphan
 */
export function structureOf(messages: readonly BaseMessage[]): Structure {
  requireMessages("structureOf", messages);
  const chains: OpenChain[] = [];
  const orphans: Orphan[] = [];
  const matcher = new CallMatcher<OpenChain>();
  let answered: Set<string> | undefined;
  let latest: OpenChain | undefined;
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i] as BaseMessage;
    if (isToolResult(message)) {
      const id = message.tool_call_id ?? "";
      const match = matcher.answer(id);
      if (match !== undefined) {
        match.asker.results[match.position] = i;
        match.asker.last = i;
        answered?.add(id);
      } else {
        answered ??= answeredIn(chains, messages);
        orphans.push({ index: i, reason: answered.has(id) ? "answered" : "no-call" });
      }
      continue;
    }
    if (latest !== undefined && (isUser(message) || isAssistant(message))) latest.pending = false;
    const calls = toolCallsOf(message);
    if (calls.length === 0) continue;
    latest = { index: i, results: Array.from({ length: calls.length }), last: i, pending: true };
    chains.push(latest);
    matcher.ask(latest, calls);
  }
  return { chains, orphans, units: unitsOf(messages.length, chains) };
}

function answeredIn(chains: readonly OpenChain[], messages: readonly BaseMessage[]): Set<string> {
  const results = chains.flatMap((chain) => chain.results.filter((at) => at !== undefined));
  return new Set(results.map((at) => (messages[at] as ToolMessage).tool_call_id ?? ""));
}

function unitsOf(length: number, chains: readonly OpenChain[]): Unit[] {
  const units: Unit[] = [];
  let next = 0;
  let i = 0;
  while (i < length) {
    let end = i + 1;
    // A chain that begins inside another's span (calls answered out of order) widens it.
    while (next < chains.length && (chains[next] as OpenChain).index < end) {
      const chain = chains[next++] as OpenChain;
      end = Math.max(end, chain.last + 1, isWaiting(chain) ? length : 0);
    }
    units.push({ start: i, end });
    i = end;
  }
  return units;
}

/** A call whose results may still come is not cut off: they would be orphans when they arrive. */
function isWaiting(chain: OpenChain): boolean {
  return chain.pending && chain.results.includes(undefined);
}
