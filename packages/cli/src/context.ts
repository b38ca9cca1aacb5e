import type { World } from '@strata/world'
import type { Screen } from './output/screen.ts'

/** Everything outside that a command may use. */
export interface CliContext {
  readonly world: World
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
  /** Prints to standard error: not part of the output. */
  readonly warn?: (text: string) => void
  readonly isTerminal: boolean
  /** Standard input is a terminal: the user can be asked. */
  readonly canAsk?: boolean | undefined
  /** The terminal, if the output is one. */
  readonly screen: Screen | undefined
  /** Shows progress in one line that is overwritten; the caller clears it with ''. Undefined if standard error is no terminal. */
  readonly progress?: ((text: string) => void) | undefined
  /** Asks the user a question and returns the line of the answer. Undefined if there is no terminal to ask. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  /** The process that started this one. Another one after that has ended. */
  readonly parentId?: (() => number) | undefined
  /** The one that was it at the very beginning, before commands were loaded. */
  readonly firstParentId?: number | undefined
  /** The executable and the script of this process, to start more processes of the same program. */
  readonly execPath: string
  /** Empty in the single executable, which has its script inside. */
  readonly entry: string
}
