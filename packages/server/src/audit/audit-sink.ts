/** Where events go. It takes each at once or drops it, and counts what it dropped: no request waits for a disk. */
export interface AuditSink {
  /** One event, as one line of JSON without the line break. */
  write(line: string): void
  /** How many events are where they belong. */
  readonly written: number
  readonly dropped: number
}
