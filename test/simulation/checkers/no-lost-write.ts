import type { Operation } from '../history.ts'
import type { Stored, StoreLog } from '../store-log.ts'
import type { Checker, Violation } from './violation.ts'

type Found = Omit<Violation, 'checker'>

/**
 * Every acknowledged write is in the store, once, in the time in which it was asked for, on top of exactly what
 * it was asked to be on top of. And the other way round: everything in the store was asked for by someone who
 * did not get a failure; except for migrations, which store the same object again. A write of the status leaves the
 * rest as it was, and a write of the object leaves its status.
 */
export const noLostWrite: Checker = {
  name: 'no-lost-write',
  *check({ operations, isMigrated }, log) {
    for (const operation of operations) yield* acknowledged(operation, log)
    const byKey = Map.groupBy(
      operations.filter(({ kind }) => kind !== 'get' && kind !== 'list'),
      ({ key }) => key,
    )
    for (const [key, versions] of log.keys) {
      let previous: Stored | undefined
      for (const version of versions) {
        const isRewritten = isMigrated && saysTheSame(version, previous)
        const found = isRewritten ? undefined : unexplained(version, previous, byKey.get(key) ?? [])
        if (found)
          yield { atMs: version.atMs, text: `${key} at ${version.revision} by ${version.writer}: ${found}` }
        previous = version
      }
    }
  },
}

function* acknowledged(operation: Operation, log: StoreLog): Iterable<Found> {
  const { kind, key, token, askedRevision, uid, startMs, end } = operation
  if (end?.outcome !== 'ok' || kind === 'get' || kind === 'list') return
  const inTime = ({ atMs }: Stored): boolean => atMs >= startMs && atMs <= end.endMs
  const versions = log.of(key)
  const found = (text: string): Found => ({
    atMs: end.endMs,
    text: `${kind} ${operation.id} of ${key}: ${text}`,
  })
  if (kind === 'delete') {
    const done = versions.some((version, index) => {
      const before = versions[index - 1]?.object
      return !version.object && inTime(version) && (uid === undefined || before?.uid === uid)
    })
    if (!done) yield found('acknowledged, but the store never deleted it')
    return
  }
  // A no-op has a checker of its own.
  if (askedRevision !== undefined && end.revision === askedRevision && kind === 'touch') return
  const written = versions.find(({ revision }) => revision === end.revision)
  const { isStatus } = operation
  const stored = isStatus ? written?.object?.statusToken : written?.object?.token
  if (stored !== token || !written || !inTime(written)) {
    yield found(`acknowledged at revision ${end.revision}, but the store has no such write`)
  }
}

function saysTheSame({ object }: Stored, previous: Stored | undefined): boolean {
  const before = previous?.object
  if (!object || !before || object.uid !== before.uid) return false
  return object.token === before.token && object.statusToken === before.statusToken
}

/** Why this change should not be in the store, if so. */
function unexplained(
  version: Stored,
  previous: Stored | undefined,
  operations: readonly Operation[],
): string | undefined {
  if (version.isCleared && !version.object) return undefined
  const before = previous?.object ? previous : undefined
  const candidates = operations.filter((operation) => isAuthor(operation, version, before))
  if (candidates.length === 0) {
    return version.object
      ? `no client asked for ${version.object.token} ${version.object.statusToken} on top of ${before?.revision ?? 'nothing'}`
      : 'no client asked for its deletion'
  }
  const possible = candidates.filter(({ startMs, end }) => {
    if (startMs > version.atMs || end?.outcome === 'failed') return false
    // The network may bring a commit twice, and the second after the answer to the first.
    return end?.outcome !== 'ok' || version.atMs <= end.endMs || version.repeated
  })
  if (possible.length > 0) return undefined
  const answers = candidates.map(({ id, kind, end }) => `${kind} ${id} got ${end?.status} ${end?.reason}`)
  return `stored although ${answers.join('; ')}`
}

function isAuthor(operation: Operation, { object }: Stored, before: Stored | undefined): boolean {
  const { kind, token, uid, askedRevision, isStatus } = operation
  if (kind === 'delete') return !object && before?.object !== undefined && before.object.uid === uid
  if (!object) return false
  const other = isStatus ? before?.object?.token : (before?.object?.statusToken ?? '')
  if ((isStatus ? object.statusToken : object.token) !== token) return false
  if ((isStatus ? object.token : object.statusToken) !== other) return false
  if (kind === 'create') return before === undefined
  if (before === undefined) return false
  return askedRevision === undefined ? before.object?.uid === uid : before.revision === askedRevision
}
