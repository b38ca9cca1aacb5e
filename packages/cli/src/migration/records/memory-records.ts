import type { GroupResource } from '@strata/api'
import { type FileRecordsOptions, type Kept, type RecordPlace, recordsAt } from './file-records.ts'
import type { RecordStore } from './record.ts'

/**
 * Records that end with this process, for a cluster that nothing tells from another one at the same address. In a file, the next
 * command would resume the migration of one cluster in the other, and skip objects that it never saw.
 */
export function createMemoryRecords(
  resource: GroupResource,
  world: FileRecordsOptions['world'],
  because: string,
): RecordStore {
  return recordsAt(new RecordMemory(world, because), resource)
}

class RecordMemory implements RecordPlace {
  readonly world: FileRecordsOptions['world']
  readonly where = 'the memory of this command'
  readonly unkept: string
  #kept: Kept | undefined

  constructor(world: FileRecordsOptions['world'], because: string) {
    this.world = world
    this.unkept = because
  }

  read(): Kept | undefined {
    return this.#kept
  }

  async change(decide: (now: Kept | undefined) => Kept | undefined): Promise<Kept | undefined> {
    const next = decide(this.#kept)
    if (next !== undefined) this.#kept = { ...next, writes: next.writes + 1 }
    return next && this.#kept
  }
}
