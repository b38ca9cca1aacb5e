import type { AgreementEntry, AgreementStatus } from '@strata/api'
import { MadeOnce } from './made-once.ts'
import { mostRecords } from './packing.ts'

/** The epoch of every record in the table. Only the order of epochs counts, and whether one is the present one. */
const present = 2
const past = 1

/**
 * Agreement records by number. Times, messages and the distance between epochs are left out: no decision depends on them.
 * That is what makes the space finite although epochs never end.
 */
export class RecordTable {
  readonly #statuses: AgreementStatus[] = []
  readonly #numbers = new Map<string, number>()
  readonly #renamed = new Map<string, MadeOnce<number>>()

  /** 0 is: there is no record. */
  statusOf(number: number): AgreementStatus | undefined {
    return number === 0 ? undefined : this.#statuses[number - 1]
  }

  numberOf(status: AgreementStatus): number {
    const plain = abstracted(status)
    const text = JSON.stringify(plain)
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    if (this.#statuses.length >= mostRecords) throw new Error('more records than a state has room for')
    this.#statuses.push(plain)
    this.#numbers.set(text, this.#statuses.length)
    return this.#statuses.length
  }

  /** The same record, with names replaced. The key names the replacement, which is remembered. */
  renamed(number: number, key: string, rename: (name: string) => string): number {
    const known = this.#renamed.get(key)
    if (known) return known.at(number)
    const numbers = new MadeOnce((each) => this.#rename(each, rename))
    this.#renamed.set(key, numbers)
    return numbers.at(number)
  }

  #rename(number: number, rename: (name: string) => string): number {
    const status = this.statusOf(number)
    if (!status) return 0
    const servers = status.servers
      .map((each) => ({ ...each, serverID: rename(each.serverID), process: rename(each.process) }))
      .toSorted((a, b) => (a.serverID < b.serverID ? -1 : 1))
    const { unseenProcesses: unseen } = status
    // All earlier processes of a slot have one name.
    const names = unseen && { unseenProcesses: [...new Set(unseen.map(rename))].sort() }
    return this.numberOf({ ...status, servers, ...names })
  }

  get size(): number {
    return this.#statuses.length
  }
}

/** What writes and agreement are decided on; what is served is another matter. */
function abstracted(status: AgreementStatus): AgreementStatus {
  const { encodings, agreedVersion, selectedVersion, persisted, unseenProcesses } = status
  const epochOf = (epoch: number): number => (epoch === status.epoch ? present : past)
  return {
    ...{ epoch: present, encodings, servers: status.servers.map(abstractedEntry) },
    ...(agreedVersion === undefined ? {} : { agreedVersion }),
    ...(selectedVersion === undefined ? {} : { selectedVersion }),
    ...(unseenProcesses ? { unseenProcesses } : {}),
    ...(persisted
      ? { persisted: persisted.map((each) => ({ ...each, epoch: epochOf(each.epoch) })).sort(byText) }
      : {}),
    conditions: status.conditions
      .filter(({ type }) => type === 'Fenced')
      .map(({ type, status: holds }) => ({
        ...{ type, status: holds, reason: '', message: '', lastTransitionTime: '' },
      })),
  }
}

/** Which key a server waits for, and why it writes nothing, is told to people; decisions ask only whether it does. */
function abstractedEntry(entry: AgreementEntry): AgreementEntry {
  const { wantedKey: _, keyProblem, ...rest } = entry
  const readableKeys = entry.readableKeys.toSorted()
  return { ...rest, readableKeys, ...(keyProblem === undefined ? {} : { keyProblem: 'it has one' }) }
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}
