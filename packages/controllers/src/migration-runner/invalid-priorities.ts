import type { MigrationEvent } from '../migration-events/index.ts'
import {
  invalidPriority,
  isEnded,
  type MigrationView,
  priorityAnnotation,
} from '../migration-object/index.ts'

/** Tells whoever wrote a priority that is none, once for each that was written. */
export class InvalidPriorities {
  readonly #record: (view: MigrationView, event: MigrationEvent) => void
  #told: ReadonlyMap<string, string> = new Map()

  constructor(record: (view: MigrationView, event: MigrationEvent) => void) {
    this.#record = record
  }

  /** To be told of every look. */
  look(migrations: readonly MigrationView[]): void {
    const now = new Map<string, string>()
    for (const view of migrations) {
      const text = isEnded(view) ? undefined : invalidPriority(view)
      if (text === undefined) continue
      now.set(view.uid, text)
      if (this.#told.get(view.uid) === text) continue
      const wanted = 'a whole number of at most nine digits'
      this.#record(view, { kind: 'unread', annotation: priorityAnnotation, text, wanted })
    }
    this.#told = now
  }
}
