import type { Operation } from './operation.ts'

/** The possible states of one key. */
interface Value {
  /** Undefined: absent. */
  readonly colour: string | undefined
  /** The revision of the value is at least this: a migration writes the same value again at a later one. */
  readonly atLeast: number
}

/** The state of one key, and what the backup holds of it. */
export interface Register {
  readonly now: Value
  readonly saved: Value | undefined
}

export const emptyRegister: Register = { now: { colour: undefined, atLeast: 0 }, saved: undefined }

export const registerText = ({ now, saved }: Register): string =>
  `${now.colour}@${now.atLeast}/${saved?.colour}@${saved?.atLeast}`

/**
 * The state after the operation, if it could have happened in this state with that outcome; else undefined.
 * A conflict says nothing certain: a migration may have moved the revision and left the value.
 */
export function step(register: Register, { action, outcome }: Operation): Register | undefined {
  if (outcome.is === 'refused' || outcome.is === 'conflict') return register
  const { now, saved } = register
  const becomes = (colour: string | undefined, atLeast: number): Register => ({
    now: { colour, atLeast },
    saved,
  })
  switch (action.do) {
    case 'backup':
      return { now, saved: now }
    case 'restore':
      return saved === undefined ? undefined : { now: saved, saved }
    case 'read':
      if (outcome.is === 'absent') return now.colour === undefined ? register : undefined
      if (outcome.is !== 'seen' || now.colour !== outcome.colour) return undefined
      return outcome.revision >= now.atLeast ? becomes(now.colour, outcome.revision) : undefined
    case 'create':
      if (outcome.is === 'exists') return now.colour === undefined ? undefined : register
      if (now.colour !== undefined) return undefined
      return written(now.atLeast, outcome, (revision) => becomes(action.colour, revision))
    case 'replace':
    case 'delete': {
      if (outcome.is === 'absent') return now.colour === undefined ? register : undefined
      const { expected } = action
      if (now.colour !== expected.colour || now.atLeast > expected.revision) return undefined
      const colour = action.do === 'replace' ? action.colour : undefined
      return written(expected.revision, outcome, (revision) => becomes(colour, revision))
    }
  }
}

/** Revisions only grow. A revision that no response contained is later than the state before it. */
function written(
  before: number,
  outcome: Operation['outcome'],
  becomes: (revision: number) => Register,
): Register | undefined {
  if (outcome.is !== 'stored') return becomes(before + 1)
  return outcome.revision > before ? becomes(outcome.revision) : undefined
}
