import type { Awaitable } from "@skein/checkpointer";

/** Gives a thread back because something failed, which is what the caller is told. */
export async function giveBack(held: { release(): Awaitable<void> } | undefined): Promise<void> {
  try {
    await held?.release();
  } catch {
    // the claim ends with its lease
  }
}
