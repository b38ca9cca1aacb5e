import type { Happening } from '../migration-events/index.ts'
import { isEnded, type MigrationView, priorityAnnotation, unreadPriority } from '../migration-object/index.ts'

/** Tells whoever wrote a priority that is none, once for each that was written. */
export class UnreadPriorities {
  readonly #tell: (view: MigrationView, happening: Happening) => void
  #told: ReadonlyMap<string, string> = new Map()

  constructor(tell: (view: MigrationView, happening: Happening) => void) {
    this.#tell = tell
  }

  /** To be told of every look. */
  look(migrations: readonly MigrationView[]): void {
    const now = new Map<string, string>()
    for (const view of migrations) {
      const text = isEnded(view) ? undefined : unreadPriority(view)
      if (text === undefined) continue
      now.set(view.uid, text)
      if (this.#told.get(view.uid) === text) continue
      const wanted = 'a whole number of at most nine digits'
      this.#tell(view, { kind: 'unread', annotation: priorityAnnotation, text, wanted })
    }
    this.#told = now
  }
}
