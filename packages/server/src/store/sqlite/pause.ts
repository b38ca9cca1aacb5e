const pauses = new Int32Array(new SharedArrayBuffer(4))

/**
 * Short at first: between two groups of a busy process the lock is free for a fraction of a millisecond only, and a process
 * that sleeps longer would starve. Longer later: then the holder is not busy but frozen.
 */
export function pause(attempt: number): void {
  Atomics.wait(pauses, 0, 0, attempt < 200 ? 0.2 : attempt < 400 ? 1 : 5)
}
