import type { Operation } from '../history.ts'
import type { StoreLog } from '../store-log.ts'
import { nothingThere } from './true-absence.ts'
import type { Checker } from './violation.ts'

/**
 * Rule 6, in its strong form: what a GET or LIST answers stood in the store at some moment between question and
 * answer. In particular it contains every write that was acknowledged, by any server, before the
 * question. "Not found" and "already exists" are such answers too.
 */
export const freshReads: Checker = {
  name: 'fresh-reads',
  *check({ operations }, log) {
    for (const operation of operations) {
      const { end, id, kind, key } = operation
      if (!end || end.status === 0) continue
      const problem = kind === 'list' ? stalePage(operation, log) : staleObject(operation, log)
      if (problem !== undefined) yield { atMs: end.endMs, text: `${kind} ${id} of ${key}: ${problem}` }
    }
  },
}

function staleObject({ kind, key, startRevision, end }: Operation, log: StoreLog): string | undefined {
  if (!end) return undefined
  const stood = [...log.between(key, startRevision, end.endRevision)]
  // Another checker covers resources that are not served at all.
  const isMissing = end.status === 404 && !end.reason.includes('namespaces') && !nothingThere.test(end.reason)
  if (isMissing && !stood.includes(undefined)) return 'said not to exist, but it did all the time'
  if (kind === 'create' && end.status === 409 && stood.every((each) => each === undefined)) {
    return 'said to exist already, but it never did in that time'
  }
  if (kind !== 'get' || end.outcome !== 'ok') return undefined
  const answer = stood.find((each) => each?.revision === end.revision)
  if (!answer) {
    const revisions = stood.map((each) => each?.revision ?? 'nothing').join(', ')
    return `answered with revision ${end.revision}, but what stood in that time was ${revisions}`
  }
  const { token, statusToken } = answer.object ?? {}
  return token === end.token && statusToken === end.statusToken
    ? undefined
    : `answered ${end.token} ${end.statusToken}, stored is ${token} ${statusToken}`
}

function stalePage({ key, startRevision, end }: Operation, log: StoreLog): string | undefined {
  if (end?.outcome !== 'ok' || end.revision === undefined) return undefined
  if (end.revision < startRevision)
    return `lists revision ${end.revision}, but ${startRevision} stood before it`
  const want = new Map<string, number>()
  for (const each of log.keys.keys()) {
    const version = each.startsWith(key) ? log.at(each, end.revision) : undefined
    if (version?.object) want.set(each, version.revision)
  }
  const text = (items: ReadonlyMap<string, number>): string =>
    [...items]
      .map(([each, revision]) => `${each.slice(key.length)}@${revision}`)
      .sort()
      .join(' ')
  const have = end.items ?? new Map()
  if (text(want) !== text(have)) return `lists ${text(have)} at ${end.revision}, stored was ${text(want)}`
  return undefined
}
