import type { Event } from '@strata/api'

/**
 * When an event was last written: the newest time in it that is not in the future. The clock of a client may be wrong, so the
 * server's creationTimestamp is always among them.
 */
export function lastWriteMs(event: Event, nowMs: number): number {
  const { metadata, firstTimestamp, lastTimestamp, eventTime, series } = event
  const candidates = [
    metadata.creationTimestamp,
    firstTimestamp,
    lastTimestamp,
    eventTime,
    series?.lastObservedTime,
  ]
  const times = candidates.map((each) => Date.parse(each ?? '')).filter((each) => each <= nowMs)
  // An event without a time in the past counts as new: it must not expire early.
  return times.length === 0 ? nowMs : Math.max(...times)
}
