import { formatSeconds, progressBar, progressText, type ShownProgress } from '@strata/insight'
import type { Clock } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { isForReaders } from '../../output/print-report.ts'

/** Where a migration that is under way is shown. */
export interface MigrationView {
  /** Something that people should know once. */
  note(resource: string, text: string): void
  /** Something that lasts, and is shown instead of progress. */
  wait(resource: string, text: string): void
  /** The first write of the resource has to wait. Several resources wait at the same time, so a log has one line for all. */
  hold(resource: string, leftMs: number): void
  /** Warns when the reason to wait has changed, in every output mode. Returns whether it warned. */
  waits(resource: string, because: string | undefined): boolean
  progress(resource: string, shown: ShownProgress): void
  /** Takes away what was only for the moment; by default of all resources. */
  clear(resource?: string): void
}

export const holdText = (leftMs: number): string =>
  `writes are not fenced: waiting ${formatSeconds(Math.ceil(leftMs / 1000))} before the first write, until all servers know the change`

/** A wait that ends so much later than the announced one is announced again: a CRD has changed meanwhile. */
const laterMs = 5_000
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
      view.clear(resource)
      context.warn?.(`${resource}: waiting: ${because}`)
      return true
    },
  }
}

type Quiet = Omit<MigrationView, 'waits'>

const ignore = (): void => {}
const silent: Quiet = { note: ignore, wait: ignore, hold: ignore, progress: ignore, clear: ignore }

function createBarView({ screen, warn }: CliContext, write: (text: string) => void, output: string): Quiet {
  /** What is shown of each resource that is under way; one line has room for the first ones. */
  const texts = new Map<string, string>()
  const show = (resource: string, text: string): void => {
    texts.set(resource, text)
    const line = [...texts].map(([name, each]) => `${name}${each}`).join(' | ')
    // A line that wraps could not be written over.
    const columns = (screen?.size().columns || 80) - 1
    write(line.length > columns ? `${line.slice(0, columns - 1)}…` : line)
  }
  return {
    note: (resource, text) => {
      write('')
      if (isForReaders(output)) warn?.(`${resource}: ${text}`)
    },
    wait: (resource, text) => show(resource, `: ${text}`),
    hold: (resource, leftMs) => show(resource, `: ${holdText(leftMs)}`),
    progress: (resource, shown) => {
      // Several bars would not fit.
      const bar = texts.size > 1 ? ':' : ` ${progressBar(shown.percent, barWidth)}`
      show(resource, `${bar} ${progressText(shown)}`)
    },
    clear: (resource) => {
      if (resource === undefined) texts.clear()
      else texts.delete(resource)
      write('')
    },
  }
}

function createLineView({ world, warn = () => {} }: CliContext): Quiet {
  const lines = new Map<string, ResourceLines>()
  const linesOf = (resource: string): ResourceLines => {
    const known = lines.get(resource) ?? new ResourceLines(world.clock, warn)
    lines.set(resource, known)
    return known
  }
  let heldUntilMs = Number.NEGATIVE_INFINITY
  return {
    note: (resource, text) => linesOf(resource).tell(`${resource}: ${text}`),
    wait: (resource, text) => linesOf(resource).wait(`${resource}: ${text}`),
    hold: (resource, leftMs) => {
      const endMs = world.clock.monotonicMs() + leftMs
      if (endMs <= heldUntilMs + laterMs) return
      heldUntilMs = endMs
      linesOf(resource).tell(`${resource}: ${holdText(leftMs)}`)
    },
    progress: (resource, shown) => linesOf(resource).progress(`${resource}: ${progressText(shown)}`),
    clear: (resource) => {
      for (const [name, each] of lines) if (resource === undefined || resource === name) each.flush()
    },
  }
}

/** The lines about one resource in a log. */
class ResourceLines {
  readonly #clock: Clock
  readonly #print: (text: string) => void
  #last = ''
  #toldMs = Number.NEGATIVE_INFINITY
  /** The latest progress, if it came too soon after the last line to be printed. */
  #untold: string | undefined

  constructor(clock: Clock, print: (text: string) => void) {
    this.#clock = clock
    this.#print = print
  }

  tell(text: string): void {
    this.#last = text
    this.#untold = undefined
    this.#toldMs = this.#clock.monotonicMs()
    this.#print(text)
  }

  wait(text: string): void {
    this.#untold = undefined
    this.#tellSeldom(text)
  }

  progress(text: string): void {
    this.#untold = this.#tellSeldom(text) ? undefined : text
  }

  /** Prints the last progress however soon it comes: otherwise a log would end in the middle. */
  flush(): void {
    if (this.#untold !== undefined) this.tell(this.#untold)
  }

  #tellSeldom(text: string): boolean {
    const isTime = this.#clock.monotonicMs() - this.#toldMs >= betweenLinesMs
    if (text !== this.#last && isTime) this.tell(text)
    return text === this.#last
  }
}
