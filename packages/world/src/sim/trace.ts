import { createHash } from 'node:crypto'
import type { LogFields } from '../log.ts'
import { fieldsText } from '../log-text.ts'

export interface TraceOptions {
  /** How many of the last lines are kept for a failure report. */
  readonly keepLines?: number
  /** Sees every line as it happens. */
  readonly onLine?: (line: string) => void
}

/** In characters. A call into the hash costs more than hashing one line does. */
const hashedAtOnce = 16_384

/**
 * A hash of all events. Two runs of one seed must give the same hash. If they do not, some code reads the real clock, real
 * random numbers or a thread pool, and no seed can be replayed.
 */
export class Trace {
  readonly #hash = createHash('sha256')
  readonly #keepLines: number
  readonly #onLine: ((line: string) => void) | undefined
  #lines: string[] = []
  /** Lines that the hash has not seen yet. */
  #unhashed = ''

  constructor({ keepLines = 200, onLine }: TraceOptions = {}) {
    this.#keepLines = keepLines
    this.#onLine = onLine
  }

  add(atMs: number, owner: string, label: string, fields?: LogFields): void {
    const rest = fields ? fieldsText(fields) : ''
    const line = `${atMs.toFixed(3)} ${owner} ${label}${rest === '' ? '' : ` ${rest}`}`
    this.#unhashed += `${line}\n`
    if (this.#unhashed.length >= hashedAtOnce) this.#hashLines()
    this.#onLine?.(line)
    if (this.#keepLines === 0) return
    this.#lines.push(line)
    // Cut rarely: moving the whole array for every line would be most of the work of a long run.
    if (this.#lines.length >= 2 * this.#keepLines) this.#lines = this.#lines.slice(-this.#keepLines)
  }

  hash(): string {
    this.#hashLines()
    return this.#hash.copy().digest('hex')
  }

  #hashLines(): void {
    this.#hash.update(this.#unhashed)
    this.#unhashed = ''
  }

  /** The last lines, oldest first. */
  lines(): readonly string[] {
    return this.#keepLines === 0 ? [] : this.#lines.slice(-this.#keepLines)
  }
}
