import type { Seen, SeenObject } from '../support/client-log.ts'
import { beaconsPrefix, type History } from '../support/raw-history.ts'

/** One change of the store: what stands there since, or nothing. */
export interface ObjectChange {
  readonly id: string
  readonly revision: number
  readonly colour: string | undefined
}

/** A client that lost one event mostly misses what follows as well; the first objections tell the story. */
const enough = 5

/**
 * What a client was shown, held against every change that the store has had: each state is that of its revision;
 * between two states every change comes once, in order, under the right name; a bookmark leaves nothing behind; nothing
 * goes back in time; and in the end nothing is missing.
 */
export function judgeClient(log: readonly Seen[], changes: readonly ObjectChange[]): string[] {
  const problems: string[] = []
  const truth = new Map<string, SeenObject>()
  let next = 0
  /** Moves the truth on, to right behind a revision. */
  const advance = (revision: number): readonly ObjectChange[] => {
    const from = next
    for (; next < changes.length; next++) {
      const change = changes[next]
      if (!change || change.revision > revision) break
      const { id, colour } = change
      if (colour === undefined) truth.delete(id)
      else truth.set(id, { id, revision: change.revision, colour })
    }
    return changes.slice(from, next)
  }
  let at = 0
  for (const seen of log) {
    if (problems.length >= enough) return problems
    if (seen.revision < at) problems.push(`went back from ${at} to ${tell(seen)}`)
    at = Math.max(at, seen.revision)
    if (seen.kind === 'state') {
      advance(seen.revision)
      problems.push(...differences(seen.items, truth).map((each) => `list at ${seen.revision}: ${each}`))
      continue
    }
    const before = seen.kind === 'event' ? truth.get(seen.id) : undefined
    const skipped = advance(seen.revision - (seen.kind === 'event' ? 1 : 0))
    for (const each of skipped) problems.push(`lost: ${tellChange(each)}, before ${tell(seen)}`)
    if (seen.kind === 'bookmark') continue
    const [change, ...more] = advance(seen.revision)
    if (!change || more.length > 0 || !isShownBy(change, before, seen)) {
      problems.push(
        `invented: ${tell(seen)}; the store has ${change ? tellChange(change) : 'no such change'}`,
      )
    }
  }
  for (const each of changes.slice(next)) problems.push(`lost at the end: ${tellChange(each)}`)
  return problems.slice(0, enough)
}

function isShownBy(
  { id, colour }: ObjectChange,
  before: SeenObject | undefined,
  seen: Seen & { readonly kind: 'event' },
): boolean {
  if (id !== seen.id) return false
  // A deletion shows what stood there last.
  if (colour === undefined) return seen.type === 'DELETED' && seen.colour === before?.colour
  return seen.type === (before ? 'MODIFIED' : 'ADDED') && seen.colour === colour
}

function differences(items: readonly SeenObject[], truth: ReadonlyMap<string, SeenObject>): string[] {
  const shown = new Map(items.map((item) => [item.id, item]))
  const missing = [...truth.values()].filter(({ id }) => !shown.has(id)).map(({ id }) => `${id} is missing`)
  const wrong = items.filter(({ id, revision, colour }) => {
    const right = truth.get(id)
    return right?.revision !== revision || right.colour !== colour
  })
  const twice = items.length === shown.size ? [] : ['an object is there twice']
  return [
    ...missing,
    ...wrong.map(({ id, revision }) => `${id} at ${revision} is not what stood there`),
    ...twice,
  ]
}

const tell = (seen: Seen): string =>
  seen.kind === 'event'
    ? `${seen.type} ${seen.id}=${seen.colour} at ${seen.revision}`
    : `${seen.kind} at ${seen.revision}`

const tellChange = ({ id, colour, revision }: ObjectChange): string =>
  `${id}${colour === undefined ? ' deleted' : `=${colour}`} at ${revision}`

/** Every change of the beacons of one namespace, or of all. */
export function changesOf({ changes }: History, namespace?: string): ObjectChange[] {
  const prefix = namespace === undefined ? beaconsPrefix : `${beaconsPrefix}${namespace}/`
  return changes
    .filter(({ key }) => key.startsWith(prefix))
    .map((change) => ({
      id: change.key.slice(beaconsPrefix.length),
      revision: change.revision,
      colour: change.kind === 'delete' ? undefined : colourOf(change.value),
    }))
}

const colourOf = (value: Uint8Array): string => JSON.parse(Buffer.from(value).toString()).spec.colour ?? ''
