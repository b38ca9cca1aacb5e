import { invalidPriority, isEnded, type MigrationView, priorityAnnotation } from '@strata/insight'
import type { MigrationEvent } from '../migration-events/index.ts'

/** Records an Event for each invalid priority annotation, once per value. */
export class InvalidPriorities {
  readonly #record: (view: MigrationView, event: MigrationEvent) => void
  #reported: ReadonlyMap<string, string> = new Map()

  constructor(record: (view: MigrationView, event: MigrationEvent) => void) {
    this.#record = record
  }

  /** Call it with every list. */
  look(migrations: readonly MigrationView[]): void {
    const now = new Map<string, string>()
    for (const view of migrations) {
      const text = isEnded(view) ? undefined : invalidPriority(view)
      if (text === undefined) continue
      now.set(view.uid, text)
      if (this.#reported.get(view.uid) === text) continue
      const wanted = 'a whole number of at most nine digits'
      this.#record(view, { kind: 'unread', annotation: priorityAnnotation, text, wanted })
    }
    this.#reported = now
  }
}
