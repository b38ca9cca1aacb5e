import type { ApiObject } from '@strata/api'
import type { ResourceClient, WatchEvent } from '@strata/client'

/** One event or list that a watcher got; `at` is a resourceVersion. */
export type Heard =
  | { readonly what: 'listed' | 'ADDED' | 'MODIFIED' | 'DELETED'; readonly name: string; readonly at: number }
  /** All that is listed has been said; everything up to here; a watch was asked for from here. */
  | { readonly what: 'list' | 'BOOKMARK' | 'watch'; readonly at: number }

/** A resource client that records every event it gets: an informer alone would not show what it leaves out. */
export function overhear(resource: ResourceClient): {
  readonly resource: ResourceClient
  readonly heard: readonly Heard[]
} {
  const heard: Heard[] = []
  const say = (what: WatchEvent['type'] | 'listed', { metadata }: ApiObject): void => {
    const at = Number(metadata.resourceVersion)
    // A bookmark has the form of an object, and is none.
    heard.push(what === 'BOOKMARK' ? { what, at } : { what, name: metadata.name ?? '', at })
  }
  async function* watch(
    ...[options, signal]: Parameters<ResourceClient['watch']>
  ): AsyncGenerator<WatchEvent> {
    heard.push({ what: 'watch', at: Number(options.resourceVersion) })
    for await (const event of resource.watch(options, signal)) {
      say(event.type, event.object)
      yield event
    }
  }
  const list: ResourceClient['list'] = async (options, signal) => {
    const answer = await resource.list(options, signal)
    for (const item of answer.items) say('listed', item)
    heard.push({ what: 'list', at: Number(answer.metadata.resourceVersion) })
    return answer
  }
  return { resource: { ...resource, list, watch }, heard }
}

/** How often history was lost to the watcher, so that it had to list again. */
export const relistsOf = (heard: readonly Heard[]): number =>
  Math.max(heard.filter(({ what }) => what === 'list').length - 1, 0)

export interface Expected {
  /** The resourceVersion of each object as it is stored in the end. */
  readonly stored: ReadonlyMap<string, number>
  /** How many states each object has had, the one in which it was made among them. */
  readonly states: number
}

/**
 * Every state of every object came to the watcher, each once and in order, up to the stored one. Nothing goes back. There
 * are two exceptions. A watch that resumes at a revision gets the writes of that revision again. And a state is
 * missing where history was lost: the next one of that object then came with a list, for else the watch would have sent it.
 */
export function judgeWatch(heard: readonly Heard[], { stored, states }: Expected): string[] {
  const problems: string[] = []
  const last = new Map<string, number>()
  const counts = new Map<string, number>()
  const relisted = new Set<string>()
  let newest = 0
  let resumedAt = 0
  let lists = 0
  for (const each of heard) {
    const { what, at } = each
    // Most objects in a list were written long before.
    if (what !== 'listed') {
      if (!(at >= newest)) problems.push(`${textOf(each)} after ${newest}`)
      else newest = at
    }
    if (what === 'watch') resumedAt = at
    if (what === 'list') lists++
    if (!('name' in each)) continue
    const { name } = each
    const known = last.get(name)
    if (what === 'DELETED' || (what === 'ADDED' && known !== undefined)) problems.push(textOf(each))
    if (known === at) {
      if (what !== 'listed' && at !== resumedAt) problems.push(`${textOf(each)} twice`)
      continue
    }
    if (!(at > (known ?? 0))) problems.push(`${textOf(each)} after ${known} of the same`)
    if (what === 'listed' && lists > 0) relisted.add(name)
    last.set(name, at)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, at] of stored) {
    const count = counts.get(name) ?? 0
    if (last.get(name) !== at) problems.push(`${name}: stored at ${at}, last heard of at ${last.get(name)}`)
    if (count > states || (count < states && !relisted.has(name))) {
      problems.push(`${name}: ${count} states instead of ${states}`)
    }
  }
  for (const name of last.keys()) if (!stored.has(name)) problems.push(`${name}: not stored`)
  return problems
}

const textOf = (each: Heard): string => `${each.what} ${'name' in each ? `${each.name} ` : ''}at ${each.at}`
