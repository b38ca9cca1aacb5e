import { decideWriteKey, protocolRules } from '@strata/server'
import type { Store } from '@strata/server/store'
import { rotating } from './key-sabotages.ts'
import { leasePrefix } from './keys.ts'
import type { Sabotage } from './sabotage.ts'
import { dropRecordGuards } from './sabotaged-store.ts'
import { rewriting } from './world/bent-way.ts'
import { partsOf, releasePairs } from './world/shape.ts'

const { switch: releases } = releasePairs
const unseen = { releases, parts: partsOf['some-unseen'] }

/** What is promised of servers without an identity (rule 18), broken one promise at a time. */
export const unseenSabotages: readonly Sabotage[] = [
  {
    name: 'unseen-unguarded',
    breaks: 'rule 18: writes of a server without an identity are not guarded by the record that names it',
    caughtBy: ['recorded-version', 'migration-proof'],
    wrapConnection: dropUnseenGuards,
    shape: { ...unseen, theme: 'twins' },
  },
  {
    name: 'unseen-blind-retry',
    breaks: 'rule 18: a server without an identity renews its guard whether or not the record names it',
    caughtBy: ['recorded-version', 'migration-proof'],
    rules: { ...protocolRules, decideBrokenUnseen: () => ({ do: 'retry' }) },
    shape: { ...unseen, theme: 'twins' },
  },
  {
    name: 'unseen-names-stay',
    breaks: 'rule 18: the names of servers without an identity that have ended stay',
    caughtBy: ['comes-to-rest'],
    rules: {
      ...protocolRules,
      decideUnseenNames: ({ memory }) => ({ memory, remove: [], lookAgainMs: undefined }),
    },
    migrator: {
      rewrite: rewriting('PUT', /\/storageagreements\//, ({ status, ...record }) => {
        // A client that says nothing of them leaves them.
        const { unseenProcesses: _, ...rest } = status
        return { ...record, status: rest }
      }),
    },
    shape: { ...unseen, theme: 'twins' },
  },
  {
    name: 'unseen-keys-ignored',
    breaks: 'rules 17 and 18: a key is chosen whatever servers without an identity state that they read',
    caughtBy: ['readable-keys'],
    rules: {
      ...protocolRules,
      decideWriteKey: (facts) =>
        // Entries have a version; statements of servers without an identity do not.
        decideWriteKey({ ...facts, entries: facts.entries.filter((each) => 'encodingVersion' in each) }),
    },
    shape: { ...rotating, definitions: true, definer: false, parts: partsOf['some-unseen'] },
  },
  {
    name: 'unseen-twin-keys-ignored',
    breaks: 'rules 17 and 18: a key is chosen whatever a second process under the same server ID reads',
    caughtBy: ['readable-keys'],
    rules: {
      ...protocolRules,
      decideWriteKey: (facts) => {
        const own = serverOf(facts.process)
        const isTwin = ({ process, serverID }: { process: string; serverID: string }): boolean =>
          process !== facts.process && serverID === own
        return decideWriteKey({ ...facts, entries: facts.entries.filter((each) => !isTwin(each)) })
      },
    },
    shape: { ...rotating, kms: true, theme: 'twins', parts: partsOf['some-unseen'] },
  },
]

const serverOf = (process: string): string => process.slice(0, process.lastIndexOf('_'))

/** A server that has an identity takes its Lease before anything else; one that never does has none. */
function dropUnseenGuards(store: Store): Store {
  const unguarded = dropRecordGuards(store)
  let hasLease = false
  return {
    ...store,
    commit: (commit, signal) => {
      hasLease ||= commit.writes.some(({ key }) => key.startsWith(leasePrefix))
      return (hasLease ? store : unguarded).commit(commit, signal)
    },
  }
}
