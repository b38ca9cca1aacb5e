import type { StorageAgreement } from '@strata/api'
import type { History } from '../history.ts'
import { customGroup } from '../keys.ts'
import type { AgreementState } from './records.ts'
import { isOfOurs, isRegistered, keysMayBeStored, keysReadBy } from './stored-json.ts'

/** A Lease that came while a server stored its entry may be overlooked, but not for longer than this. */
const overlookedMs = 25_000

interface Told {
  readonly process: string
  readonly reads: readonly string[]
}

/**
 * When a key comes into use in a record: who was there and could be heard, and whether they read it. Whoever was there then
 * must be able to read what is under it for as long as it runs, whether or not it refuses to write: it would refuse *because*
 * the key came too early. Who comes later without the key refuses rightly.
 */
export class FirstUses {
  readonly #standing = new Map<string, { readonly holder: string; readonly sinceMs: number }>()
  readonly #heard = new Map<string, ReadonlySet<string>>()
  readonly #endedMs: ReadonlyMap<string, number | undefined>

  constructor({ runs }: Pick<History, 'runs'>) {
    this.#endedMs = new Map(runs.map(({ process, endedMs }) => [process, endedMs]))
  }

  /**
   * The process has ended, or its Lease is gone, by which it is expelled: nothing is promised to it any more. Its entry may
   * stand for longer: a server without an identity does not count it, and leaves it to the collector.
   */
  isOut(
    { process, serverID }: { readonly process: string; readonly serverID: string },
    leases: AgreementState['leases'],
    atMs: number,
  ): boolean {
    return this.hasEnded(process, atMs) || !leases.has(serverID)
  }

  /** Its Lease may stand for longer. A server on the same host sees that the holder is gone. */
  hasEnded(process: string, atMs: number): boolean {
    return (this.#endedMs.get(process) ?? Number.POSITIVE_INFINITY) <= atMs
  }

  /** To be called after every commit by which a Lease came, went or changed hands: how long each process has had its Lease. */
  observeLeases({ leases }: AgreementState, atMs: number): void {
    for (const id of this.#standing.keys()) if (!leases.has(id)) this.#standing.delete(id)
    for (const [id, { lease }] of leases) {
      const holder = lease.spec?.holderIdentity ?? ''
      if (this.#standing.get(id)?.holder !== holder) this.#standing.set(id, { holder, sinceMs: atMs })
    }
  }

  /** A record changed. Who was there when a key came into use by it, and does not read it. */
  observeRecord(
    name: string,
    before: StorageAgreement | undefined,
    state: AgreementState,
    atMs: number,
  ): readonly { readonly key: string; readonly process: string }[] {
    const after = state.records.get(name)
    if (!after || after === before) return []
    // What a server without an identity writes under is not among what may be stored: the record says Unknown instead.
    const known = before ? [...keysMayBeStored(before.status), ...keysInUse(before)] : []
    return [...new Set(keysInUse(after))]
      .filter((key) => !known.includes(key))
      .flatMap((key) => {
        const stated = this.#stated(name, after, state, atMs)
        this.#heard.set(`${name} ${key}`, new Set(stated.map(({ process }) => process)))
        return stated.filter(({ reads }) => !reads.includes(key)).map(({ process }) => ({ key, process }))
      })
  }

  /** Whether the process was there when the key came into use, so that it has to read what is under it. */
  wasHeard(name: string, key: string, process: string): boolean {
    return this.#heard.get(`${name} ${key}`)?.has(process) === true
  }

  /** By their entries, without an identity by their statements, and by their Leases where they have neither. */
  #stated(name: string, record: StorageAgreement, { leases }: AgreementState, atMs: number): Told[] {
    const { servers } = record.status
    const unseen = statementsIn(record).map(({ process, readableKeys: reads }) => ({ process, reads }))
    const entries = servers
      .filter((entry) => !this.isOut(entry, leases, atMs))
      .map(({ process, readableKeys }) => ({ process, reads: readableKeys }))
    const isCustom = name.startsWith(customGroup)
    const group = name.slice(0, name.lastIndexOf('.'))
    const resource = name.slice(group.length + 1)
    const others = [...leases].flatMap(([id, { lease }]): Told[] => {
      const { holder = '', sinceMs = atMs } = this.#standing.get(id) ?? {}
      const reads = keysReadBy(lease, group === 'core' ? '' : group, resource)
      if (servers.some(({ serverID }) => serverID === id) || atMs - sinceMs < overlookedMs) return []
      // Another program says nothing, and who has registered all its kinds has no other.
      const isDone = !isCustom && isRegistered(lease)
      if (!reads || isDone || !isOfOurs(lease) || this.hasEnded(holder, atMs)) return []
      return [{ process: holder, reads }]
    })
    return [...entries, ...unseen, ...others]
  }
}

function keysInUse(record: StorageAgreement): readonly string[] {
  return [
    ...record.status.servers.filter(({ refusesWrites }) => !refusesWrites),
    ...statementsIn(record).filter(({ keyProblem }) => keyProblem === undefined),
  ].map(({ writeKey }) => writeKey)
}

interface Statement {
  readonly process: string
  readonly writeKey: string
  readonly readableKeys: readonly string[]
  readonly keyProblem?: string
}

/** What servers without an identity state, of those that the record names. */
function statementsIn({ metadata, status }: StorageAgreement): readonly Statement[] {
  const all: Statement[] = JSON.parse(metadata.annotations?.['strata.dev/unseen-servers'] ?? '[]')
  return all.filter(({ process }) => status.unseenProcesses?.includes(process))
}
