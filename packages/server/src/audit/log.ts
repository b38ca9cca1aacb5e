import type { Log } from '@strata/world'
import type { AuditSink } from './audit-sink.ts'

/** A target that lines can be appended to, one call at a time. */
export interface LogTarget {
  append(text: string): Promise<void>
  close(): Promise<void>
}

/** How many events may wait for the disk. */
const waitingEvents = 10_000
const waitingLength = 64 * 1024 * 1024

/**
 * Writes events to a target asynchronously, many at a time. If the disk cannot keep up, events are dropped, counted and logged: a
 * log with an unknown gap would be worthless.
 */
export class AuditLog implements AuditSink {
  readonly #target: LogTarget
  readonly #log: Log
  #waiting: string[] = []
  #length = 0
  #writing: Promise<void> | undefined
  /** Dropped events since the last log line. */
  #unsaid = 0
  #written = 0
  #dropped = 0

  constructor(target: LogTarget, log: Log) {
    this.#target = target
    this.#log = log
  }

  get written(): number {
    return this.#written
  }

  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    if (this.#waiting.length >= waitingEvents || this.#length + line.length > waitingLength) {
      this.#drop(1)
      return
    }
    this.#waiting.push(line)
    this.#length += line.length
    this.#writing ??= this.#drain()
  }

  /** Waits until everything is written or dropped, then closes the target. */
  async close(): Promise<void> {
    await this.#writing
    await this.#target.close()
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      this.#waiting = []
      this.#length = 0
      try {
        await this.#target.append(`${lines.join('\n')}\n`)
        this.#written += lines.length
        this.#say('the audit log cannot keep up')
      } catch (error) {
        this.#drop(lines.length)
        this.#say(error instanceof Error ? error.message : String(error))
      }
    }
    this.#writing = undefined
  }

  #drop(count: number): void {
    this.#dropped += count
    this.#unsaid += count
  }

  /** Dropped events are reported once per flush. */
  #say(why: string): void {
    if (this.#unsaid === 0) return
    this.#log.error('audit events were dropped', { count: this.#unsaid, total: this.#dropped, why })
    this.#unsaid = 0
  }
}
