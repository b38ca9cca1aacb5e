import type { Flags } from './flags.ts'

export interface BenchContext {
  readonly flags: Flags
  /** A directory that goes away. */
  readonly directory: string
  /** This checkout, in one file. */
  readonly bundle: string
  /** Results, as they come. */
  readonly print: (line: string) => void
  /** Shows the current step on the terminal. */
  readonly progress: (text: string) => void
}
