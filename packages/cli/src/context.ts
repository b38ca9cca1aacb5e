import type { World } from '@strata/world'
import type { Screen } from './output/screen.ts'

/** What a command may touch. */
export interface CliContext {
  readonly world: World
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  /** Something that people should know now, and that is no part of the output. */
  readonly warn?: (text: string) => void
  readonly isTerminal: boolean
  /** The terminal, if the output is one. */
  readonly screen: Screen | undefined
  /** Shows how far long work has come, in one line that is written over; absent if nobody sees it. Nothing clears it. */
  readonly progress?: (text: string) => void
  /** The Node that runs us, and the script it was given: for starting further processes of the same kind. */
  readonly execPath: string
  readonly entry: string
}
