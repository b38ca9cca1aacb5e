import type { Operation } from './operation.ts'
import {
  type HeardEvent,
  type HeardObject,
  type Replay,
  replay,
  type Stretch,
  type Watcher,
} from './watched.ts'

export interface WatchHistory {
  readonly watchers: readonly Watcher[]
  readonly operations: readonly Operation[]
  /** The stored state after the last write, which every watcher must have got. Undefined if the round did not get that far. */
  readonly final: ReadonlyMap<string, HeardObject> | undefined
}

/**
 * Whether every watcher got every change, once, in order, with the right value. The known changes are those that any watcher
 * got, and those that a response confirmed to a writer: a watcher that missed one is found by any other that did not.
 */
export function checkWatches({ watchers, operations, final }: WatchHistory): string[] {
  const replays = watchers.map((watcher) => ({ name: watcher.name, ...replay(watcher) }))
  const stretches = replays.flatMap((each) => each.stretches)
  const problems = replays.flatMap((each) => [...each.problems])
  const changes = new Changes(stretches)
  problems.push(...changes.problems)
  for (const stretch of stretches) problems.push(...missingIn(stretch, changes))
  for (const operation of operations) {
    const problem = unheard(operation, stretches)
    if (problem) problems.push(problem)
  }
  for (const each of replays) {
    problems.push(...listsAgainst(each, changes, stretches))
    if (final) problems.push(...copyAgainst(each, final))
  }
  return problems
}

/** Every change that any watcher heard, by incarnation. */
class Changes {
  readonly problems: string[] = []
  readonly byIncarnation = new Map<number, Map<string, HeardEvent>>()

  constructor(stretches: readonly Stretch[]) {
    for (const { watcher, incarnation, events } of stretches) {
      const known = this.byIncarnation.getOrInsertComputed(incarnation, () => new Map())
      for (const [id, event] of events) {
        const other = known.get(id)
        if (other && (other.what !== event.what || other.colour !== event.colour))
          this.problems.push(`${watcher}: ${textOf(event)}, but another watcher heard ${textOf(other)}`)
        known.set(id, other ?? event)
      }
    }
  }

  of(incarnation: number): readonly HeardEvent[] {
    return [...(this.byIncarnation.get(incarnation)?.values() ?? [])]
  }
}

const textOf = ({ what, key, colour, at }: HeardEvent): string => `${what} ${key} ${colour} at ${at}`

function missingIn(stretch: Stretch, changes: Changes): string[] {
  const { watcher, incarnation, from, to, events } = stretch
  return changes
    .of(incarnation)
    .filter(({ key, at }) => at > from && at <= to && !events.has(`${at} ${key}`))
    .map((event) => `${watcher}: missed ${textOf(event)} in a watch from ${from} to ${to}`)
}

/** An acknowledged write, or a value that was read, that a watcher should have heard of and did not. */
function unheard(
  { key, action, outcome, incarnation }: Operation,
  stretches: readonly Stretch[],
): string | undefined {
  const colour = outcome.is === 'seen' ? outcome.colour : 'colour' in action ? action.colour : undefined
  if (outcome.is !== 'stored' && outcome.is !== 'seen') return undefined
  const { revision } = outcome
  for (const stretch of stretches) {
    if (stretch.incarnation !== incarnation || revision <= stretch.from || revision > stretch.to) continue
    const event = stretch.events.get(`${revision} ${key}`)
    if (event === undefined)
      return `${stretch.watcher}: missed ${key} ${colour} at ${revision}, which a response confirmed`
    if (event.colour !== colour) return `${stretch.watcher}: ${textOf(event)}, but it was ${colour}`
  }
  return undefined
}

/** A list shows, of each key, the last change at or before its revision. */
function listsAgainst({ lists }: Replay, changes: Changes, stretches: readonly Stretch[]): string[] {
  return lists.flatMap(({ watcher, incarnation, at, items }) => {
    const last = new Map<string, HeardEvent>()
    for (const event of changes.of(incarnation)) {
      if (event.at <= at && event.at > (last.get(event.key)?.at ?? 0)) last.set(event.key, event)
    }
    const problems: string[] = []
    for (const [key, event] of last) {
      const item = items.get(key)
      const shown = item ? `${item.colour} at ${item.at}` : 'nothing'
      const where = `${watcher}: a list at ${at} shows ${shown} of ${key}`
      // Between the change and the list, another may have gone unheard where no watch was open.
      const isWhole = stretches.some(
        (each) => each.incarnation === incarnation && each.from < event.at && each.to >= at,
      )
      if (item && item.at < event.at) problems.push(`${where} after ${textOf(event)}`)
      else if (item && item.at === event.at && item.colour !== event.colour)
        problems.push(`${where}, not ${textOf(event)}`)
      else if (isWhole && event.what === 'DELETED' && item) problems.push(`${where} after ${textOf(event)}`)
      else if (isWhole && event.what !== 'DELETED' && !item) problems.push(`${where} after ${textOf(event)}`)
    }
    return problems
  })
}

function copyAgainst(
  { name, copy }: Replay & { readonly name: string },
  final: ReadonlyMap<string, HeardObject>,
): string[] {
  const problems: string[] = []
  for (const [key, { colour, at }] of final) {
    const known = copy.get(key)
    if (known?.at !== at || known.colour !== colour)
      problems.push(
        `${name}: ends with ${known?.colour} at ${known?.at} of ${key}, stored is ${colour} at ${at}`,
      )
  }
  for (const key of copy.keys()) {
    if (!final.has(key)) problems.push(`${name}: ends with ${key}, which is not stored`)
  }
  return problems
}
