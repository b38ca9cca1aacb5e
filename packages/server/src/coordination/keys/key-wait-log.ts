import { type AgreementStatus, keyWaitsOf, keyWaitText } from '@strata/api'
import type { Log } from '@strata/world'
import type { Revision } from '../../store/index.ts'

interface LoggedWait {
  readonly revision: Revision
  /** Undefined while it writes under the key that it was told to. */
  readonly text: string | undefined
}

/**
 * Tells people that a key they put first is not written with yet, and whose file was forgotten. Once per change, and once
 * for all resources that wait for the same: a rule for everything would otherwise say it a hundred times.
 */
export class KeyWaitLog {
  readonly #log: Pick<Log, 'info'>
  readonly #serverID: string
  readonly #seen = new Map<string, LoggedWait>()

  constructor(log: Pick<Log, 'info'>, serverID: string) {
    this.#log = log
    this.#serverID = serverID
  }

  /**
   * The record of that resource, as it stands after this server has decided. What is older than what was seen says nothing
   * new.
   */
  observe(resource: string, { servers }: Pick<AgreementStatus, 'servers'>, revision: Revision): void {
    const before = this.#seen.get(resource)
    if (before && before.revision >= revision) return
    const wait = keyWaitsOf(servers).find(({ serverID }) => serverID === this.#serverID)
    const text = wait && keyWaitText(wait)
    const isLogged = [...this.#seen.values()].some((each) => each.text === text)
    this.#seen.set(resource, { revision, text })
    if (wait && !isLogged) {
      const { wantedKey, unreadBy } = wait
      this.#log.info('waits to write under a new key', { resource, wantedKey, unreadBy, why: text })
    }
    if (text !== undefined || before?.text === undefined) return
    if ([...this.#seen.values()].every((each) => each.text === undefined)) {
      this.#log.info('no longer waits for a new key', { resource })
    }
  }

  forget(resource: string): void {
    this.#seen.delete(resource)
  }
}
