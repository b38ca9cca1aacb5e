import type { RecordChanges } from './record-changes.ts'
import { encodeLease, encodeSlot, type LeaseState, type State } from './state.ts'
import { type Story, serverName } from './story.ts'

/**
 * Servers are alike: a state and the same state with two servers exchanged lead to the same broken promises, so one of them
 * is enough. Servers are put into the order of what they are doing. Not where a server has two slots.
 */
export class Symmetry {
  readonly #isAlike: boolean
  readonly #changes: RecordChanges
  readonly #signatures = new Map<number, readonly string[]>()
  readonly #renamed = new Map<string, number>()

  constructor(story: Story, changes: RecordChanges) {
    this.#isAlike = story.slots.every((server, slot) => server === slot)
    this.#changes = changes
  }

  canonical(state: State): State {
    if (!this.#isAlike) return state
    const signatures = this.#signaturesOf(state.record, state.slots.length)
    const keys = state.slots.map(
      (slot, index) =>
        encodeSlot(slot) + encodeLease(atPlace(state.leases[index], 0)) + (signatures[index] ?? ''),
    )
    const order = [...keys.keys()].sort((a, b) => compare(keys[a] ?? '', keys[b] ?? ''))
    return order.every((from, to) => from === to) ? state : this.#permuted(state, order)
  }

  #permuted(state: State, order: readonly number[]): State {
    const inOrder = <T>(list: readonly T[]): T[] => order.map((from) => list[from] as T)
    const leases = inOrder(state.leases).map((lease, place) => atPlace(lease, place))
    return { ...state, record: this.#recordOf(state.record, order), leases, slots: inOrder(state.slots) }
  }

  #recordOf(record: number, order: readonly number[]): number {
    const key = `${record} ${order.join('')}`
    const known = this.#renamed.get(key)
    if (known !== undefined) return known
    const renamed = this.#changes.table.renamed(record, (text) =>
      text
        .replace(/server-[abc]_([0-9])/g, (_, slot: string) => {
          const place = order.indexOf(Number(slot))
          return `${serverName(place)}_${place}`
        })
        .replace(
          /server-([abc])"/g,
          (_, letter: string) => `${serverName(order.indexOf('abc'.indexOf(letter)))}"`,
        ),
    )
    this.#renamed.set(key, renamed)
    return renamed
  }

  /** What a record says of each server, without its name. */
  #signaturesOf(record: number, servers: number): readonly string[] {
    const known = this.#signatures.get(record)
    if (known) return known
    const { servers: entries = [], unseenProcesses: names = [] } = this.#changes.table.statusOf(record) ?? {}
    const signatures = Array.from({ length: servers }, (_, server) => {
      const entry = entries.find(({ serverID }) => serverID === serverName(server))
      const unseen = names.filter((process) => process.startsWith(serverName(server)))
      return JSON.stringify([entry ?? '', unseen]).replace(/server-[abc](_[0-9])?/g, '')
    })
    this.#signatures.set(record, signatures)
    return signatures
  }
}

const atPlace = (lease: LeaseState | undefined, slot: number): LeaseState | undefined =>
  lease && { ...lease, slot }

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
