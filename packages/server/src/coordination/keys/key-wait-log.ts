import { type AgreementStatus, keyWaitsOf, keyWaitText } from '@strata/api'
import type { Log } from '@strata/world'
import type { Revision } from '../../store/index.ts'

interface LoggedWait {
  readonly revision: Revision
  /** Undefined while this server writes under the key that it prefers. */
  readonly text: string | undefined
}

/**
 * Logs that the preferred key is not in use yet, and which servers cannot read it. Once per change, and once for all
 * resources with the same wait: a rule for all resources would otherwise log it a hundred times.
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
   * Takes the record of that resource, as it is after this server has decided. Ignores older revisions.
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
