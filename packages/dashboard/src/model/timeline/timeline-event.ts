/** From top to bottom. */
export const lanes = ['servers', 'resources', 'migrations', 'faults'] as const
export type Lane = (typeof lanes)[number]

/** As the sentence at the top of the page: `plain` is neither good nor bad. */
export type EventTone = 'plain' | 'good' | 'left' | 'disagreed' | 'alarm'

/** Something that happened at one moment. */
export interface TimelineEvent {
  readonly id: string
  readonly atMs: number
  readonly lane: Lane
  readonly tone: EventTone
  /** One sentence without its full stop. */
  readonly text: string
  /** The layer that it is about: the mark gets its colour. */
  readonly layer?: { readonly resource: string; readonly version: string }
}

/** Something that took time, or still does. */
export interface TimelineSpan {
  readonly id: string
  readonly fromMs: number
  /** Undefined while it lasts. */
  readonly toMs: number | undefined
  readonly lane: Lane
  readonly tone: EventTone
  readonly text: string
  readonly layer?: { readonly resource: string; readonly version: string }
}
