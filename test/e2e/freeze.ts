import type { StrataProcess } from '../support/serve-process.ts'
import type { WriteLoad } from '../support/write-load.ts'

/**
 * Stops it, but not while it holds the lock of the SQLite file: then all servers would have to wait for it,
 * none could be expelled, and there would be nothing to see here. `isolate` leads clients away from it.
 */
export async function freezeBetweenWrites(
  zombie: StrataProcess,
  load: WriteLoad,
  isolate: () => void = () => {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    zombie.signal('SIGSTOP')
    isolate()
    try {
      return await load.untilMore(20, { giveUpMs: 3_000 })
    } catch (error) {
      if (attempt === 5) throw error
      zombie.signal('SIGCONT')
      await load.untilMore(1)
    }
  }
}
