import type { SimRandom } from '@strata/world/sim'

/** The code under test took the input, or refused it as it should. Everything else is thrown, and is a finding. */
export type Verdict = 'accepted' | 'refused'

/** Plain JSON, so that an input can be printed, shrunk and tried again. Bytes are texts of one character per byte. */
export type Input = Readonly<Record<string, unknown>>

/** The code under test, ready to be tried. */
export interface Subject<I extends Input = Input> {
  /** The same input for the same random. */
  readonly generate: (random: SimRandom) => I
  /** Throws `WrongAnswer` if an oracle disagrees. Any other error is a crash of the code under test. */
  readonly check: (input: I) => Verdict | Promise<Verdict>
  /** Forgets earlier inputs. Called before each sequence. */
  readonly reset?: () => Promise<void>
  readonly close?: () => Promise<void>
}

export interface FuzzTarget {
  readonly name: string
  /** What the target tests, and what it compares with. */
  readonly about: string
  /** How many of the inputs it gets, relative to the other targets. */
  readonly share: number
  /**
   * How many inputs follow each other on the same state. An input is found again by running its sequence from the start.
   * One for code without state.
   */
  readonly sequence: number
  readonly open: () => Subject | Promise<Subject>
}

/** An oracle says that the answer is wrong. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'
}

export function expect(holds: boolean, otherwise: () => string): asserts holds {
  if (!holds) throw new WrongAnswer(otherwise())
}

/** For values in messages: long ones are cut. */
export function shown(value: unknown, length = 400): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value))
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`
}

/** A target without state. */
export const pureTarget = <I extends Input>(
  target: Omit<FuzzTarget, 'sequence' | 'open'> & {
    readonly open: () => Subject<I> | Promise<Subject<I>>
  },
): FuzzTarget => ({ ...target, sequence: 1, open: target.open as FuzzTarget['open'] })
