import type { CliContext } from '../../context.ts'
import { formatSeconds } from '../../output/age.ts'
import { isForReaders } from '../../output/print-report.ts'
import { progressBar, progressText, type ShownProgress } from './shown-progress.ts'

/** Where a migration that is under way is shown. */
export interface MigrationView {
  /** Something that people should know once. */
  note(resource: string, text: string): void
  /** Something that lasts, and is shown instead of progress. */
  wait(resource: string, text: string): void
  /** Warns when the reason to wait has changed, in every output mode. Returns whether it warned. */
  waits(resource: string, because: string | undefined): boolean
  progress(resource: string, shown: ShownProgress): void
  /** Takes away what was only for the moment. */
  clear(): void
}

export const holdText = (leftMs: number): string =>
  `writes are not fenced: waiting ${formatSeconds(Math.ceil(leftMs / 1000))} before the first write, until all servers know the change`

const barWidth = 24
/** On a pipe a line is kept, so there are few of them. */
const betweenLinesMs = 5_000

/** On standard error: a bar on a terminal, lines elsewhere, and nothing where programs read. */
export function createMigrationView(context: CliContext, output: string): MigrationView {
  const view = context.progress
    ? createBarView(context, context.progress, output)
    : isForReaders(output)
      ? createLineView(context)
      : silent
  const shownReasons = new Map<string, string | undefined>()
  return {
    ...view,
    waits: (resource, because) => {
      if (shownReasons.get(resource) === because) return false
      shownReasons.set(resource, because)
      if (because === undefined) return false
      view.clear()
      context.warn?.(`${resource}: waiting: ${because}`)
      return true
    },
  }
}

type Quiet = Omit<MigrationView, 'waits'>

const silent: Quiet = { note: () => {}, wait: () => {}, progress: () => {}, clear: () => {} }

function createBarView({ screen, warn }: CliContext, write: (text: string) => void, output: string): Quiet {
  const show = (text: string): void => {
    // A line that wraps could not be written over.
    const columns = (screen?.size().columns || 80) - 1
    write(text.length > columns ? `${text.slice(0, columns - 1)}…` : text)
  }
  return {
    note: (resource, text) => {
      write('')
      if (isForReaders(output)) warn?.(`${resource}: ${text}`)
    },
    wait: (resource, text) => show(`${resource}: ${text}`),
    progress: (resource, shown) =>
      show(`${resource} ${progressBar(shown.percent, barWidth)} ${progressText(shown)}`),
    clear: () => write(''),
  }
}

function createLineView({ world, warn }: CliContext): Quiet {
  let last = ''
  let toldMs = Number.NEGATIVE_INFINITY
  /** The latest progress, if it came too soon after the last line to be printed. */
  let untold: string | undefined
  const tell = (text: string): void => {
    last = text
    untold = undefined
    toldMs = world.clock.monotonicMs()
    warn?.(text)
  }
  const tellSeldom = (text: string): boolean => {
    const isTime = world.clock.monotonicMs() - toldMs >= betweenLinesMs
    if (text !== last && isTime) tell(text)
    return text === last
  }
  return {
    note: (resource, text) => tell(`${resource}: ${text}`),
    wait: (resource, text) => {
      untold = undefined
      tellSeldom(`${resource}: ${text}`)
    },
    progress: (resource, shown) => {
      const text = `${resource}: ${progressText(shown)}`
      untold = tellSeldom(text) ? undefined : text
    },
    // Prints the last progress however soon it comes: otherwise a log would end in the middle.
    clear: () => {
      if (untold !== undefined) tell(untold)
    },
  }
}
