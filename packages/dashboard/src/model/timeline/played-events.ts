import type { EventTone, Lane, TimelineEvent } from './timeline-event.ts'

/** What `strata up` says at `/playground/v1/events`, as far as the page uses it. Kinds are only added there. */
export interface PlayedEvent {
  readonly number: number
  readonly time: string
  readonly kind: string
  readonly message: string
}

const kinds: Readonly<Record<string, readonly [Lane, EventTone]>> = {
  crashed: ['faults', 'alarm'],
  frozen: ['faults', 'left'],
  thawed: ['faults', 'good'],
  'roll-failed': ['faults', 'alarm'],
  'roll-done': ['servers', 'good'],
  'storage-version-switched': ['resources', 'plain'],
}

export const eventOfPlay = ({ number, time, kind, message }: PlayedEvent): TimelineEvent => {
  const [lane, tone] = kinds[kind] ?? ['servers', 'plain']
  return { id: `play ${number} ${time}`, atMs: Date.parse(time), lane, tone, text: message }
}
