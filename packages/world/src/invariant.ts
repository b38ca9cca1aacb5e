/** A broken assumption: a bug in this program, never a fault of its input. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken'
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantBroken(message)
}

/** For the default branch of a switch over a union that must be complete. */
export function unreachable(value: never): never {
  throw new InvariantBroken(`unexpected value ${JSON.stringify(value)}`)
}
