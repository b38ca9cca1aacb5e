import type { CliContext } from '../context.ts'
import { formatSeconds } from '../output/age.ts'
import { progressBar, progressText, type ShownProgress } from './shown-progress.ts'

/** Where a migration that is under way is shown. */
export interface MigrationView {
  /** Something that people should know once. */
  note(resource: string, text: string): void
  /** Something that lasts, and is shown instead of progress. */
  wait(resource: string, text: string): void
  progress(resource: string, shown: ShownProgress): void
  /** Takes away what was only for the moment. */
  clear(): void
}

export const holdText = (leftMs: number): string =>
  `no server guards what is written: waiting ${formatSeconds(Math.ceil(leftMs / 1000))} before the first write, until all have heard of the change`

const barWidth = 24
/** On a pipe a line is kept, so there are few of them. */
const betweenLinesMs = 5_000

/** A bar on a terminal, lines elsewhere, and nothing where programs read. */
export function createMigrationView(context: CliContext, output: string): MigrationView {
  if (context.progress) return createBarView(context, context.progress, output)
  return output === 'table' ? createLineView(context) : silent
}

const silent: MigrationView = { note: () => {}, wait: () => {}, progress: () => {}, clear: () => {} }

function createBarView(
  { screen, print }: CliContext,
  write: (text: string) => void,
  output: string,
): MigrationView {
  const show = (text: string): void => {
    // A line that wraps could not be written over.
    const columns = (screen?.size().columns || 80) - 1
    write(text.length > columns ? `${text.slice(0, columns - 1)}…` : text)
  }
  return {
    note: (resource, text) => {
      write('')
      if (output === 'table') print(`${resource}: ${text}`)
    },
    wait: (resource, text) => show(`${resource}: ${text}`),
    progress: (resource, shown) =>
      show(`${resource} ${progressBar(shown.percent, barWidth)} ${progressText(shown)}`),
    clear: () => write(''),
  }
}

function createLineView({ world, print }: CliContext): MigrationView {
  let last = ''
  let toldMs = Number.NEGATIVE_INFINITY
  const tell = (text: string): void => {
    last = text
    toldMs = world.clock.monotonicMs()
    print(text)
  }
  const tellSeldom = (text: string): void => {
    if (text !== last && world.clock.monotonicMs() - toldMs >= betweenLinesMs) tell(text)
  }
  return {
    note: (resource, text) => tell(`${resource}: ${text}`),
    wait: (resource, text) => tellSeldom(`${resource}: ${text}`),
    progress: (resource, shown) => tellSeldom(`${resource}: ${progressText(shown)}`),
    clear: () => {},
  }
}
