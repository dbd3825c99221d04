import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Ownership } from "./backend.ts";

/**
 * Who holds a claim: a process, named so that another one on the same host can tell whether it
 * still exists. Process ids are used again, so the start time belongs to the name.
 */
interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly start: string;
  /** One of the savers of the process. */
  readonly saver: string;
}

// Node loads web crypto when somebody asks for it, which takes 3 ms: here, and not in a thread's first run
void globalThis.crypto;

/** For a storage that several processes share. */
export const PROCESSES: Ownership = { describe: describeOwner, isDead };

function describeOwner(saver: string): string {
  return JSON.stringify({
    host: hostId(),
    pid: process.pid,
    start: startTime(process.pid) ?? "",
    saver,
  } satisfies Owner);
}

function isDead(owner: string | null, leaseUntil: number | null, now: number): boolean {
  if (owner === null) return true;
  if (leaseUntil !== null && leaseUntil <= now) return true;
  const parsed = parseOwner(owner);
  if (parsed === undefined || parsed.host !== hostId()) return false;
  return !processExists(parsed.pid) || (parsed.start !== "" && startTime(parsed.pid) !== parsed.start);
}

function parseOwner(text: string): Omit<Owner, "saver"> | undefined {
  try {
    const { host, pid, start } = JSON.parse(text) as Partial<Owner>;
    return typeof host === "string" && Number.isSafeInteger(pid) && typeof start === "string"
      ? { host, pid: pid as number, start }
      : undefined;
  } catch {
    return undefined;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** On Linux a name for "this boot, this space of process ids"; containers share neither. */
function hostId(): string {
  return [
    hostname(),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    attempt(() => readlinkSync("/proc/self/ns/pid")),
  ]
    .filter((part) => part !== undefined)
    .join("/");
}

/**
 * Start of a process in clock ticks since boot, on Linux. Undefined where there is no such file:
 * on other systems, where a process that exists counts as the holder, and for one that is gone or
 * was killed and waits for its parent to notice.
 */
function startTime(pid: number): string | undefined {
  return attempt(() => {
    // as "utf8", which Node reads in one call
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // the second field is the command in parentheses and may hold spaces and parentheses itself
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : fields[18];
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
