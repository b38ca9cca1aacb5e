import { looseSettledMs, plainKey } from '@strata/api'
import { counted } from '@strata/insight'
import { isCutTo, isKey, shortKey, unreadableBytes } from './key-text.ts'

/** What one server says of the file that it has loaded. */
export interface LoadedFile {
  /** A hash of the name of the server's identity Lease; undefined if the server does not say it. */
  readonly server: string
  /** The hash of the content; undefined of a server that has loaded none. */
  readonly file: string | undefined
  /** Since when at the latest it has it, by its own clock; undefined if it does not say so. */
  readonly sinceMs?: number | undefined
}

/** The rule of a file for one resource: short names of its keys. */
export interface FileRule {
  readonly resource: string
  readonly writes: string
  readonly reads: readonly string[]
}

/** How many objects of a resource are stored under which key. */
export interface StoredUnder {
  readonly resource: string
  readonly keys: readonly { readonly key: string; readonly count: number }[]
}

export interface ElsewhereFacts {
  readonly to: string | undefined
  /** The file that every server should have; undefined if it was not given. */
  readonly file: { readonly hash: string; readonly rules: readonly FileRule[] } | undefined
  /** By the identity Leases; undefined if they cannot be listed, or there are none. */
  readonly servers: readonly { readonly server: string; readonly name: string }[] | undefined
  readonly loaded: readonly LoadedFile[]
  /** Why the file of a server is unknown: it could not be asked, or does not say it. */
  readonly blind: readonly string[]
  /** Those that answered, and do not say which file they have loaded. */
  readonly withoutMetric: readonly string[]
  readonly store:
    | {
        readonly source: string
        readonly isLive: boolean
        /** When each server renewed its Lease last before the store was read, by its own clock. */
        readonly renewals: ReadonlyMap<string, number>
        /** Why the counts are not those of this cluster, without doubt. */
        readonly doubt: string | undefined
        readonly stored: readonly StoredUnder[]
      }
    | undefined
  /** All servers have had the file for so long that no write under an older one can arrive any more. */
  readonly hasStood: boolean
  /** What was stored before this run rewrote it; undefined if it has rewritten nothing. */
  readonly before?: readonly StoredUnder[] | undefined
}

export type ElsewhereStep =
  | { readonly step: 'begin'; readonly because: string }
  /** Something has to be put right first. */
  | { readonly step: 'blocked'; readonly because: string }
  /** The file lacks the new key. */
  | { readonly step: 'add'; readonly to: string; readonly resources: readonly string[] }
  /** These servers have another file; or, with a reason, one of them most likely has none, and will not load it by itself. */
  | {
      readonly step: 'load'
      readonly to: string
      readonly servers: readonly string[]
      readonly because?: string
    }
  /** The new key is in the file, and not the first one. */
  | { readonly step: 'promote'; readonly to: string; readonly resources: readonly string[] }
  /** Objects are under other keys, or may be. */
  | { readonly step: 'rewrite'; readonly to: string; readonly because: string }
  /** All servers have the file, and nothing is under another key: but not for long enough. */
  | { readonly step: 'wait'; readonly to: string }
  | { readonly step: 'drop'; readonly to: string; readonly keys: readonly string[] }
  | { readonly step: 'done'; readonly to: string }

export interface ElsewhereDecision {
  readonly next: ElsewhereStep
  /** What was not seen. With any of it, no key is ever called droppable. */
  readonly unseen: readonly string[]
}

/** The next step of a rotation where no server publishes its keys. */
export function decideRotationElsewhere(facts: ElsewhereFacts): ElsewhereDecision {
  const { file, store, servers, loaded, withoutMetric, before } = facts
  const unseen = unseenOf(facts)
  const decided = (next: ElsewhereStep): ElsewhereDecision => ({ next, unseen })
  if (file === undefined)
    return decided({
      step: 'begin',
      because: 'name the file that every server should have: --encryption-provider-config',
    })
  const named = facts.to ?? commonWriteKey(file.rules)
  if (named === undefined)
    return decided({
      step: 'begin',
      because:
        'no rule of the file names these resources, or their first keys differ: name the new key with --to',
    })
  const keys = [...new Set(file.rules.flatMap(({ reads }) => reads))]
  // From here on as the file names it: "identity" is also what a key may be called.
  const to = [named, ...keys].find((each) => keys.includes(each) && isKey(each, named)) ?? named
  const resourcesOf = (isOf: (rule: FileRule) => boolean): string[] =>
    file.rules.filter(isOf).map(({ resource }) => resource)
  const unread = resourcesOf(({ reads }) => !reads.includes(to))
  if (unread.length > 0) return decided({ step: 'add', to, resources: unread })
  // Before it is put first: a server that lacks it could not read what another one writes.
  const others = loaded.filter((each) => each.file !== file.hash).map(({ server }) => server)
  const nameOf = (id: string): string => servers?.find(({ server }) => server === id)?.name ?? id
  const lacking = [...new Set([...withoutMetric, ...others.map(nameOf)])]
  if (withoutMetric.length > 0)
    return decided({ step: 'load', to, servers: lacking, because: withoutMetricText })
  if (lacking.length > 0) return decided({ step: 'load', to, servers: lacking })
  const unwritten = resourcesOf(({ writes }) => writes !== to)
  if (unwritten.length > 0) return decided({ step: 'promote', to, resources: unwritten })
  // A server without the file would store the same bytes again.
  if (loaded.length === 0) return decided({ step: 'blocked', because: noneLoadedText })
  const notSeen = (): ElsewhereDecision =>
    decided({ step: 'blocked', because: 'something may be under another key, and was not seen' })
  if (store === undefined) {
    // Another rewrite would show no more.
    if (before !== undefined) return notSeen()
    return decided({
      step: 'rewrite',
      to,
      because: 'without a reading of the store, every object may be under another key',
    })
  }
  const damaged = store.stored.flatMap(({ resource, keys }) =>
    keys
      .filter(({ key }) => key === unreadableBytes)
      .map(
        ({ count }) =>
          `${counted(count, 'object')} of ${resource} cannot be read, see "strata repair ${resource}"`,
      ),
  )
  if (damaged.length > 0) return decided({ step: 'blocked', because: damaged.join(', ') })
  const left = leftUnderOthers(store.stored, to)
  if (left.length > 0) {
    const text = left.map((each) => each.text).join(', ')
    if (before === undefined || countOf(left) < countOf(leftUnderOthers(before, to)))
      return decided({ step: 'rewrite', to, because: text })
    const because = `the rewrite moved nothing: ${text}. The servers do not write with ${shortKey(to)}`
    return decided({ step: 'blocked', because })
  }
  if (unseen.length > 0) return notSeen()
  if (!facts.hasStood && !isAfterAll(facts)) return decided({ step: 'wait', to })
  const old = keys.filter((each) => each !== plainKey && each !== to)
  if (old.length > 0) return decided({ step: 'drop', to, keys: old })
  return { next: { step: 'done', to }, unseen: unseenInPlugin(to) }
}

export const withoutMetricText =
  'a server without the metric apiserver_encryption_config_controller_last_config_info most likely runs without --encryption-provider-config; or it is older than 1.34, and does not say what it has loaded'

const noneLoadedText = 'no server shows that it has loaded the file'

interface Left {
  readonly count: number
  readonly text: string
}

const leftUnderOthers = (stored: readonly StoredUnder[], to: string): readonly Left[] =>
  stored.flatMap(({ resource, keys }) =>
    keys
      .filter(({ key }) => key !== to)
      .map(({ key, count }) => ({
        count,
        text: `${counted(count, 'object')} of ${resource} ${key === plainKey ? 'not encrypted' : `under ${shortKey(key)}`}`,
      })),
  )

const countOf = (left: readonly Left[]): number => left.reduce((sum, { count }) => sum + count, 0)

/** The keys in a plugin are not those of the file: they keep none of these in use. */
const unseenInPlugin = (to: string): readonly string[] =>
  to.startsWith('kms:')
    ? [`which key of ${shortKey(to)} an object is under: the stored bytes name only the plugin`]
    : []

/**
 * A snapshot was taken after every server had its file for long enough: no write under an older one came later. Shown by the
 * Leases in it: each server renews its own, by the clock that it has loaded the file by. If a Lease in the snapshot is of a server
 * that is gone now, its file is unknown.
 */
function isAfterAll({ servers, loaded, store }: ElsewhereFacts): boolean {
  if (store === undefined || store.isLive || servers === undefined) return false
  const isKnown = (id: string): boolean => servers.some(({ server }) => server === id)
  if (![...store.renewals.keys()].every(isKnown)) return false
  return servers.every(({ server }) => {
    const since = loaded.filter((each) => each.server === server).map(({ sinceMs }) => sinceMs)
    const renewedMs = store.renewals.get(server)
    return (
      renewedMs !== undefined &&
      since.length > 0 &&
      since.every((each) => each !== undefined && renewedMs - each >= looseSettledMs)
    )
  })
}

/** The key that the file writes all these resources with. */
function commonWriteKey(rules: readonly FileRule[]): string | undefined {
  const [only, ...others] = new Set(rules.map(({ writes }) => writes))
  return others.length === 0 ? only : undefined
}

function unseenOf(facts: ElsewhereFacts): readonly string[] {
  const { file, servers, loaded, blind, store, withoutMetric } = facts
  const unnamed = (servers ?? []).filter(({ server }) => !loaded.some((each) => each.server === server))
  // An answer without the metric does not say whose it is. It is in `blind`.
  const silent = unnamed.length <= withoutMetric.length ? [] : unnamed
  const why = withoutMetric.length > 0 ? 'no answer names it' : 'no answer came from it'
  const keys = [...new Set((file?.rules ?? []).flatMap(({ reads }) => reads))]
  const alike = keys.filter((each) => keys.some((other) => isCutTo(each, other)))
  return [
    ...(file === undefined
      ? [
          'the file of the servers, so it is unknown with which keys they read and write (--encryption-provider-config)',
        ]
      : []),
    ...(servers === undefined
      ? ['which API servers there are: no identity Lease of them could be read in kube-system']
      : []),
    ...silent.map(
      ({ name }) =>
        `the file that ${name} has loaded: ${why} (--server names each API server; /metrics needs the right to get it)`,
    ),
    ...blind,
    ...(store === undefined
      ? ['what is stored: no API shows under which key an object is (--etcd-servers)']
      : [
          ...(store.doubt === undefined ? [] : [`what is stored: ${store.doubt}`]),
          ...(store.isLive || isAfterAll(facts)
            ? []
            : [
                'what was stored after the snapshot was taken: read etcd itself (--etcd-servers), or take a snapshot more than a minute after every server has loaded the file',
              ]),
        ]),
    ...alike.map(
      (each) =>
        `whether an object is under this key or another one: stored bytes name a key up to the first colon of its name: ${shortKey(each)}`,
    ),
  ]
}
