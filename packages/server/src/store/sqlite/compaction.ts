import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Revision } from '../store.ts'

/** How many changes one step looks at. Few enough that commits waiting behind it do not notice. */
const changesPerStep = 250

/**
 * Compacts the past. First the compacted revision is raised, which closes the past to readers at once. Then the changes that no
 * later state shows are deleted in steps. The progress is stored with the steps, so that after a crash, or when another process
 * continues, none is left out.
 */
export class Compaction {
  readonly #getMeta: StatementSync
  readonly #setMeta: StatementSync
  readonly #stepEnd: StatementSync
  readonly #dropReplaced: StatementSync
  readonly #dropDeletes: StatementSync

  constructor(database: DatabaseSync) {
    this.#getMeta = database.prepare('SELECT number FROM meta WHERE name = ?')
    this.#setMeta = database.prepare('UPDATE meta SET number = ? WHERE name = ?')
    this.#stepEnd = database.prepare(`
      SELECT max(revision) AS number FROM (
        SELECT revision FROM log WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ${changesPerStep}
      )`)
    // No reader at the compacted revision or later sees a value that a change up to that revision replaced.
    this.#dropReplaced = database.prepare(`
      DELETE FROM log WHERE revision IN (
        SELECT previous_revision FROM log WHERE revision > ? AND revision <= ? AND previous_revision > 0
      )`)
    this.#dropDeletes = database.prepare(`
      DELETE FROM log WHERE revision > ? AND revision <= ? AND create_revision = 0`)
  }

  /** One step, inside the transaction that the caller has begun. True if there is nothing left to do. */
  step(revision: Revision, newest: Revision): boolean {
    const compacted = Math.max(revision, this.#meta('compacted'))
    this.#setMeta.run(compacted, 'compacted')
    // The newest change always stays: the next revision is counted from it. Without it a revision would be given out twice, and a
    // watcher would take the second change for the first.
    const end = Math.min(compacted, newest - 1)
    const from = this.#meta('swept')
    const to = this.#number(this.#stepEnd.get(from, end))
    if (to === undefined) return true
    this.#dropReplaced.run(from, to)
    this.#dropDeletes.run(from, to)
    this.#setMeta.run(to, 'swept')
    return to >= end
  }

  #meta(name: string): number {
    return this.#number(this.#getMeta.get(name)) ?? 0
  }

  #number(row: Record<string, unknown> | undefined): number | undefined {
    return typeof row?.number === 'number' ? row.number : undefined
  }
}
