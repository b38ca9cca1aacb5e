/** Receives events. It accepts each at once or drops and counts it: no request waits for a disk. */
export interface AuditSink {
  /** One event, as one line of JSON without the line break. */
  write(line: string): void
  /** How many events were written. */
  readonly written: number
  readonly dropped: number
}
