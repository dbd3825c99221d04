import { readFileSync } from "node:fs";

/**
 * Watches how much of the processors' time the host gives to others ("steal" of proc(5)): a program that
 * wants to run waits for it, and every wall time has it in it.
 *
 * @returns tells the share since the call, 0 to 1, of the time that somebody wanted to run here;
 *   undefined where the system does not say
 */
export function watchStolen(): () => number | undefined {
  const start = processorTimes();
  return () => {
    const now = processorTimes();
    if (start === undefined || now === undefined) return undefined;
    const wanted = now.used - start.used + now.stolen - start.stolen;
    return wanted === 0 ? 0 : (now.stolen - start.stolen) / wanted;
  };
}

function processorTimes(): { readonly used: number; readonly stolen: number } | undefined {
  let line: string | undefined;
  try {
    line = readFileSync("/proc/stat", "utf8").split("\n", 1)[0];
  } catch {
    return undefined;
  }
  const [user, nice, system, , , irq, softirq, stolen] = (line ?? "").split(/\s+/).slice(1).map(Number);
  if (stolen === undefined) return undefined;
  return {
    used: [user, nice, system, irq, softirq].reduce((sum: number, part) => sum + (part ?? 0), 0),
    stolen,
  };
}
