import { changed, moveDefinition, moveLease, moveRecord, type Step, store } from './deliver.ts'
import { attempts, type Named, type RecordChanges } from './record-changes.ts'
import type { State } from './state.ts'
import { processName, type Rules, type Story, serverName } from './story.ts'

/** What happens to the fleet from outside, and what arrives. */
export class FleetSteps {
  readonly #story: Story
  readonly #rules: Rules
  readonly #changes: RecordChanges
  readonly #names: readonly string[]

  constructor(story: Story, rules: Rules, changes: RecordChanges) {
    this.#story = story
    this.#rules = rules
    this.#changes = changes
    this.#names = story.slots.flatMap((_, slot) => [processName(story, slot), processName(story, slot, true)])
  }

  *arrivals(state: State): Iterable<Step> {
    if (state.late) {
      const { slot, isBefore } = state.late
      const { state: next, broken } = store(this.#story, this.#changes, state, state.late)
      const name = `the write of ${processName(this.#story, slot, isBefore)} arrives`
      yield { name, state: { ...next, late: undefined }, broken }
    }
    if (state.change) {
      yield { name: 'a change of the record arrives', state: moveRecord(state, state.change, this.#rules) }
    }
    for (const [server, lease] of state.takings.entries()) {
      if (!lease) continue
      yield {
        name: `${processName(this.#story, lease.slot, lease.isBefore)} has the Lease`,
        state: moveLease(state, server, lease),
      }
    }
  }

  /** Rule 8, and worse: any Lease may be deleted at any time, also that of a server that runs. */
  *collect(state: State): Iterable<Step> {
    for (const [server, lease] of state.leases.entries()) {
      if (lease) {
        yield {
          name: `the Lease of ${serverName(server)} is deleted`,
          state: moveLease(state, server, undefined),
        }
        continue
      }
      const isGone = (each: Named): boolean => each.serverID === serverName(server)
      const removal = this.#changes.remove(state, attempts.removeGone + server, isGone, [server])
      if (removal.outcome !== 'change') continue
      yield {
        name: `the collector removes the entry of ${serverName(server)}`,
        state: changed(state, removal.change, this.#story, this.#rules),
      }
    }
  }

  /** A name of a process without an identity may be removed at any time: one that runs puts itself in again. */
  *forgetUnseen(state: State): Iterable<Step> {
    const named = this.#changes.statusOf(state)?.unseenProcesses
    if (!named) return
    for (const [index, process] of this.#names.entries()) {
      if (!named.includes(process)) continue
      const isGone = (each: Named): boolean => each.process === process
      const removal = this.#changes.remove(state, attempts.forget + index, isGone, [])
      if (removal.outcome !== 'change') continue
      yield {
        name: `${process} is removed from the record`,
        state: changed(state, removal.change, this.#story, this.#rules),
      }
    }
  }

  /** A census has called the record's epoch clean, and puts its proof down. */
  *settle(state: State): Iterable<Step> {
    if (state.proven < 0 || this.#changes.agreedPair(state) !== state.proven) return
    const settled = this.#changes.settle(state)
    if (settled.outcome !== 'change') return
    yield {
      name: 'a census puts its proof down',
      state: changed(state, settled.change, this.#story, this.#rules),
    }
  }

  *switchDefinition(state: State): Iterable<Step> {
    if (this.#story.isCustom) {
      yield { name: 'the storage version of the CRD is switched', state: moveDefinition(state, this.#rules) }
    }
  }
}
