import { placeOf, type TimeWindow } from './time-window.ts'
import type { Lane, TimelineEvent, TimelineSpan } from './timeline-event.ts'

/** Events that are too close to be told apart are one mark. */
export interface Mark {
  readonly id: string
  /** From 0 to 1. */
  readonly place: number
  readonly lane: Lane
  /** The latest one last. */
  readonly events: readonly TimelineEvent[]
}

export interface Bar {
  readonly span: TimelineSpan
  readonly from: number
  readonly to: number
}

/** What of the events is in the window, and where. They come in the order of time. */
export function placeEvents(
  events: readonly TimelineEvent[],
  window: TimeWindow,
  /** The least distance of two marks, as part of the width. */
  apart: number,
): readonly Mark[] {
  const last = new Map<Lane, { place: number; events: TimelineEvent[] }>()
  const marks: { lane: Lane; place: number; events: TimelineEvent[] }[] = []
  for (const event of events) {
    const place = placeOf(window, event.atMs)
    if (place < 0 || place > 1) continue
    const near = last.get(event.lane)
    if (near && place - near.place < apart) near.events.push(event)
    else {
      const mark = { lane: event.lane, place, events: [event] }
      last.set(event.lane, mark)
      marks.push(mark)
    }
  }
  return marks.map((mark) => ({ ...mark, id: mark.events[0]?.id ?? '' }))
}

export function placeSpans(
  spans: readonly TimelineSpan[],
  window: TimeWindow,
  nowMs: number,
): readonly Bar[] {
  return spans.flatMap((span) => {
    const from = Math.max(0, placeOf(window, span.fromMs))
    const to = Math.min(1, placeOf(window, span.toMs ?? nowMs))
    return to < 0 || from > 1 || to < from ? [] : [{ span, from, to }]
  })
}

/** That of the last one: what is so afterwards. A fault is not hidden behind what is good, though. */
export const toneOfMark = (events: readonly TimelineEvent[]): TimelineEvent['tone'] =>
  events.find(({ tone }) => tone === 'alarm')?.tone ?? events.at(-1)?.tone ?? 'plain'
