/** The events that one watcher got, in order. `at` is a resourceVersion. */
export type Heard =
  | HeardEvent
  | ({ readonly what: 'listed' } & HeardObject)
  /** The list is complete; the stream was opened from here; nothing happened up to here. */
  | { readonly what: 'list' | 'BOOKMARK'; readonly at: number }
  | { readonly what: 'watch'; readonly at: number; readonly incarnation: number }

export interface HeardObject {
  readonly key: string
  readonly colour: string
  readonly at: number
}

export interface Watcher {
  readonly name: string
  readonly heard: readonly Heard[]
}

/** A stretch of revisions of which one watcher was promised every change: after `from`, up to `to`. */
export interface Stretch {
  readonly watcher: string
  readonly incarnation: number
  readonly from: number
  readonly to: number
  /** `revision key`, each with what was said of it. */
  readonly events: ReadonlyMap<string, HeardEvent>
}

export interface HeardEvent extends HeardObject {
  readonly what: 'ADDED' | 'MODIFIED' | 'DELETED'
}

export interface HeardList {
  readonly watcher: string
  readonly incarnation: number
  readonly at: number
  readonly items: ReadonlyMap<string, HeardObject>
}

export interface Replay {
  readonly stretches: readonly Stretch[]
  readonly lists: readonly HeardList[]
  /** The final state, as the watcher sees it. */
  readonly copy: ReadonlyMap<string, HeardObject>
  readonly problems: readonly string[]
}

/** Follows one watcher as an informer would, and holds each event against what the watcher knew before. */
export function replay({ name, heard }: Watcher): Replay {
  const problems: string[] = []
  const stretches: Stretch[] = []
  const lists: HeardList[] = []
  let copy = new Map<string, HeardObject>()
  let listing = new Map<string, HeardObject>()
  let position = 0
  let bookmark = 0
  let incarnation = 0
  let open: { from: number; events: Map<string, HeardEvent> } | undefined
  const close = (): void => {
    if (open) stretches.push({ watcher: name, incarnation, ...open, to: position })
    open = undefined
  }
  const complain = (text: string): void => void problems.push(`${name}: ${text}`)
  for (const [index, each] of heard.entries()) {
    switch (each.what) {
      case 'listed':
        listing.set(each.key, each)
        break
      case 'list': {
        close()
        const next = incarnationAfter(heard, index) ?? incarnation
        if (next === incarnation && each.at < position)
          complain(`a list at ${each.at} after ${position} was heard`)
        incarnation = next
        lists.push({ watcher: name, incarnation, at: each.at, items: listing })
        copy = new Map(listing)
        listing = new Map()
        position = each.at
        bookmark = 0
        break
      }
      case 'watch':
        close()
        if (each.at !== position) complain(`a watch resumed at ${each.at} instead of ${position}`)
        open = { from: each.at, events: new Map() }
        break
      case 'BOOKMARK':
        if (each.at < position) complain(`a bookmark of ${each.at} after ${position} was heard`)
        position = Math.max(position, each.at)
        bookmark = position
        break
      default: {
        if (each.at <= bookmark && each.at !== open?.from)
          complain(`${each.what} ${each.key} at ${each.at} came after a bookmark of ${bookmark}`)
        const problem = takeEvent(copy, open?.events, position, open?.from, each)
        if (problem) complain(problem)
        position = Math.max(position, each.at)
      }
    }
  }
  close()
  return { stretches, lists, copy, problems }
}

/** The list that precedes a watch belongs to the same incarnation as the watch. */
function incarnationAfter(heard: readonly Heard[], index: number): number | undefined {
  const watch = heard.slice(index).find(({ what }) => what === 'watch')
  return watch?.what === 'watch' ? watch.incarnation : undefined
}

function takeEvent(
  copy: Map<string, HeardObject>,
  events: Map<string, HeardEvent> | undefined,
  position: number,
  resumedAt: number | undefined,
  event: HeardEvent,
): string | undefined {
  const { what, key, at } = event
  const name = `${what} ${key} at ${at}`
  if (events === undefined) return `${name}, though no watch is open`
  const id = `${at} ${key}`
  // A stream that resumes may repeat the whole revision that it resumes at.
  if (at === resumedAt && copy.get(key)?.at === at) return undefined
  if (events.has(id)) return `${name} came twice`
  if (at < position) return `${name} came after ${position}`
  events.set(id, event)
  const known = copy.get(key)
  if (what === 'DELETED') copy.delete(key)
  else copy.set(key, event)
  if ((what === 'ADDED') === (known !== undefined))
    return `${name}, though the key ${known ? 'stood there' : 'did not exist'}`
  return undefined
}
