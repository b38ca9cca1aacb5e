import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConsistencyFacts, decideConsistent, docHashesKind, protocolRules } from '@strata/server'
import type { Commit, Store } from '@strata/server/store'
import { chainNamed } from './cuts/chain.ts'
import { runChain } from './cuts/run-chain.ts'
import { docHashesKey } from './keys.ts'
import type { Sabotage } from './sabotage.ts'
import type { Connected } from './sabotaged-store.ts'

/** What a chain has to say of a fleet in which something is broken: otherwise it proves nothing of one in which nothing is. */
const cases: Record<
  string,
  {
    readonly chain: string
    readonly sabotage: () => Pick<Sabotage, 'rules' | 'wrapConnection'>
    readonly checker: string
    readonly says: RegExp
  }
> = {
  'a server that neither meets its cut nor comes to its end': {
    chain: 'report/join/unanswered/again/1+1/few',
    sabotage: () => {
      let connections = 0
      // Two begin; whoever is started after them is never answered.
      return { wrapConnection: (store) => (++connections > 2 ? unanswered(store) : store) }
    },
    checker: 'comes-to-rest',
    says: /cut at 1: after 90000 ms it has neither met it nor come to its end/,
  },
  'a report that stands when its Lease is given back': {
    // So late a place that it comes to its end.
    chain: 'discovery/leave/unanswered/again/99+1/few',
    sabotage: () => ({ wrapConnection: keepReports }),
    checker: 'own-report',
    says: /gave its Lease back with its report standing/,
  },
  'a report that stands when nobody is there any more': {
    chain: 'discovery/leave/unanswered/never/1+1/few',
    sabotage: () => ({ wrapConnection: keepReports }),
    checker: 'comes-to-rest',
    says: /cut at 1: a,b have reported their documents; expected are a/,
  },
  'a claim that all serve the same, made without one who has not reported': {
    chain: 'discovery/return/unanswered/other-release/1+4/few',
    sabotage: () => claiming((facts) => ({ ...facts, liveServers: new Set([facts.own.apiServerID]) })),
    checker: 'true-consistency',
    says: /said that all servers serve the same; it was never so/,
  },
  'the same, made while the report of the process before is in the way': {
    chain: 'discovery/return/unanswered/other-release/1+4/few',
    sabotage: () => ({ wrapConnection: hideOldReports }),
    checker: 'true-consistency',
    says: /said that all servers serve the same; it was never so/,
  },
}

for (const [name, { chain: chainText, sabotage, checker, says }] of Object.entries(cases)) {
  test(`simulation: cuts notice ${name}`, async () => {
    const chain = chainNamed(chainText)
    assert.ok(chain)
    const broken: Sabotage = { name, breaks: name, caughtBy: [checker], ...sabotage() }
    const { violations } = await runChain(chain, { mostCuts: 7, sabotage: broken })
    const found = violations.find((each) => each.checker === checker)
    assert.match(found?.text ?? `nothing, but ${JSON.stringify(violations)}`, says)
  })
}

function claiming(weaken: (facts: ConsistencyFacts) => ConsistencyFacts): Pick<Sabotage, 'rules'> {
  return { rules: { ...protocolRules, decideConsistent: (facts) => decideConsistent(weaken(facts)) } }
}

function unanswered(store: Store): Store {
  const never = () => new Promise<never>(() => {})
  return { ...store, read: never, list: never, currentRevision: never, commit: never }
}

/** A server that removes a report is told that it is done, and it is not. */
function keepReports(store: Store): Store {
  const serversIn = (value: Uint8Array): readonly string[] =>
    docHashesKind
      .decode({ key: docHashesKey, value, revision: 1, createRevision: 1 })
      .hashes.map(({ apiServerID }) => apiServerID)
  const isTakingOut = async ({ writes }: Commit, signal: AbortSignal): Promise<boolean> => {
    const put = writes.find(({ key, kind }) => key === docHashesKey && kind === 'put')
    if (put?.kind !== 'put') return false
    const [stored] = (await store.read([docHashesKey], signal)).entries
    const left = serversIn(put.value)
    return stored !== undefined && serversIn(stored.value).some((server) => !left.includes(server))
  }
  return {
    ...store,
    commit: async (commit, signal) =>
      (await isTakingOut(commit, signal))
        ? { outcome: 'committed', revision: await store.currentRevision(signal), revisions: [] }
        : store.commit(commit, signal),
  }
}

/** Hides the report of the earlier process from the server that takes its identity. */
function hideOldReports(store: Store, { serverID }: Connected): Store {
  let hasReported = false
  const isOld = ({ apiServerID }: { readonly apiServerID: string }): boolean => apiServerID === serverID
  return {
    ...store,
    read: async (keys, signal) => {
      const reading = await store.read(keys, signal)
      const entries = reading.entries.map((entry) => {
        if (entry?.key !== docHashesKey || hasReported) return entry
        const decoded = docHashesKind.decode(entry)
        const hashes = decoded.hashes.filter((each) => !isOld(each))
        return { ...entry, value: docHashesKind.encode({ ...decoded, hashes }) }
      })
      return { ...reading, entries }
    },
    commit: async (commit, signal) => {
      const outcome = await store.commit(commit, signal)
      const isReport = commit.writes.some(({ key }) => key === docHashesKey)
      if (outcome.outcome === 'committed' && isReport) hasReported = true
      return outcome
    },
  }
}
