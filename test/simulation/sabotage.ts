import { decideAgreement, decideBrokenGuard, type ProtocolRules, protocolRules } from '@strata/server'
import type { Store } from '@strata/server/store'
import type { Transport, World } from '@strata/world'
import type { BentMirror } from './aggregated/bent-mirror.ts'
import { mirrorSabotages } from './aggregated/mirror-sabotages.ts'
import { controllerSabotages } from './controller-sabotages.ts'
import { keySabotages } from './key-sabotages.ts'
import {
  acknowledgeEntriesEarly,
  believeIdentityHeld,
  callUnknownUnwritten,
  confirmUnasked,
  hideOldEntries,
  leaseGoesFirst,
  withoutQuorum,
} from './lying-store.ts'
import { memorySabotages } from './memory-sabotages.ts'
import { migrationSabotages } from './migration-sabotages.ts'
import {
  believeFailedReads,
  type Connected,
  dropDefinitionGuards,
  dropObjectGuards,
  dropPublicationGuards,
  dropRecordGuards,
  dropTurnGuards,
  renewDefinitionGuards,
  splitProjection,
} from './sabotaged-store.ts'
import { statusSabotages } from './status-sabotages.ts'
import { unseenSabotages } from './unseen-sabotages.ts'
import { voteSabotages } from './vote-sabotages.ts'
import { watchSabotages } from './watch-sabotages.ts'
import type { KeySabotage } from './world/key-keeper.ts'
import type { MigratorSabotage } from './world/migrator.ts'
import { partsOf, releasePairs, type Shape } from './world/shape.ts'

/** One rule of the protocol, broken. A simulator that does not notice proves nothing when it notices nothing. */
export interface Sabotage {
  readonly name: string
  readonly breaks: string
  /** Any of these may be the first to notice. */
  readonly caughtBy: readonly [string, ...string[]]
  readonly rules?: ProtocolRules
  readonly wrapStore?: (store: Store) => Store
  /** On the server's side of the way to the store. */
  readonly wrapConnection?: (store: Store, server: Connected) => Store
  /** What a server answers, on its way out. */
  readonly wrapHandle?: (handle: Transport) => Transport
  /** The clock, randomness and process table that a server gets. */
  readonly wrapWorld?: (world: World) => World
  readonly wallClockCollector?: boolean
  readonly migrator?: MigratorSabotage
  readonly keys?: KeySabotage
  /** What lies between the mirror of an aggregated fleet and the aggregator. */
  readonly mirror?: () => BentMirror
  /** A world in which the missing rule is soon missed. */
  readonly shape?: Partial<Shape>
}

const broken = (rules: Partial<ProtocolRules>): ProtocolRules => ({ ...protocolRules, ...rules })
const { switch: releases } = releasePairs

export const sabotages: readonly Sabotage[] = [
  {
    name: 'no-fence',
    breaks: 'rule 3: writes are not guarded by the record under which they were encoded',
    caughtBy: ['recorded-version', 'migration-proof'],
    wrapConnection: dropRecordGuards,
    shape: { theme: 'zombies', releases },
  },
  {
    name: 'blind-retry',
    breaks: 'rule 3: a broken guard is renewed without looking whether the own entry still stands',
    caughtBy: ['recorded-version', 'migration-proof'],
    rules: broken({ decideBrokenGuard: () => ({ do: 'retry' }) }),
    shape: { theme: 'zombies', releases },
  },
  {
    name: 'holder-ignored',
    breaks: 'rules 1 and 3: an entry of the same server counts as the own, whichever process wrote it',
    caughtBy: ['recorded-version'],
    rules: broken({
      decideBrokenGuard: (self, { entry }) =>
        entry ? { do: 'retry' } : decideBrokenGuard(self, { entry, lease: undefined }),
    }),
    // The renewal tells the old process within one answer that it has lost; only a write in hand is quicker.
    shape: { theme: 'twins', releases, clients: 5 },
  },
  {
    name: 'holder-unwatched',
    breaks: 'rule 1: a Lease is taken whether its holder renews it or not',
    caughtBy: ['live-not-expelled'],
    wrapWorld: (world) => ({ ...world, processes: { ...world.processes, isGone: () => true } }),
    shape: { theme: 'twins' },
  },
  {
    name: 'old-entries-stay',
    breaks: 'rule 1: who takes an identity leaves the entries of the process before it',
    caughtBy: ['one-voice', 'comes-to-rest'],
    wrapConnection: hideOldEntries,
    shape: { theme: 'rollouts', definitions: true },
  },
  {
    name: 'entry-without-identity',
    breaks: 'rule 1: an entry is stored, whichever process holds the Lease',
    caughtBy: ['one-voice'],
    wrapConnection: believeIdentityHeld,
    shape: { theme: 'zombies' },
  },
  {
    name: 'open-gate',
    breaks: 'rule 2: writes are let through before the entry is stored',
    caughtBy: ['recorded-version'],
    wrapConnection: acknowledgeEntriesEarly,
    // Loose servers only: the guard of a strict server refuses such a write, because its record is absent.
    shape: { theme: 'calm', releases, parts: partsOf.loose },
  },
  {
    name: 'unconfirmed-no-ops',
    breaks: 'rule 5: "already current" is answered from the cache',
    caughtBy: ['true-no-ops'],
    wrapConnection: confirmUnasked,
  },
  {
    name: 'no-read-barrier',
    breaks: 'rule 6: reads are answered from whatever the cache has',
    caughtBy: ['fresh-reads'],
    wrapConnection: withoutQuorum,
  },
  {
    name: 'flip-back',
    breaks:
      'rule 6: what is agreed is shown from whatever the cache has, though it was otherwise before and after',
    caughtBy: ['no-flip-back'],
    wrapConnection: withoutQuorum,
    shape: { theme: 'rollouts', releases },
  },
  {
    name: 'unknown-is-failure',
    breaks: 'an unknown outcome is reported as "nothing was written"',
    caughtBy: ['no-lost-write'],
    wrapConnection: callUnknownUnwritten,
    shape: { theme: 'storms' },
  },
  {
    name: 'lease-first',
    breaks: 'rule 7: the Lease is given back before the entries',
    caughtBy: ['leaves-last'],
    wrapConnection: leaseGoesFirst,
    shape: { theme: 'rollouts', troubleMs: 60_000 },
  },
  {
    name: 'failed-read-is-absence',
    breaks: 'rule 8: Leases that could not be read are taken to be absent, and nothing asks the store again',
    caughtBy: ['live-not-expelled'],
    wrapConnection: believeFailedReads,
    shape: { theme: 'storms' },
  },
  {
    name: 'unsorted',
    breaks: 'rule 9: entries are in whatever order',
    caughtBy: ['honest-agreement'],
    rules: broken({
      decideAgreement: (facts) => {
        const decided = decideAgreement(facts)
        return { ...decided, servers: decided.servers.toReversed() }
      },
    }),
    shape: { theme: 'calm', troubleMs: 30_000 },
  },
  {
    name: 'restless',
    breaks: 'rule 9: a record is written again although it says nothing new',
    caughtBy: ['quiet-store'],
    rules: broken({
      decideAgreement: (facts) => ({ ...decideAgreement(facts), agreedSince: facts.now }),
    }),
    shape: { theme: 'calm', troubleMs: 30_000 },
  },
  {
    name: 'majority',
    breaks: 'rule 12 and honesty: what most servers encode is called agreed',
    caughtBy: ['honest-agreement', 'migration-proof'],
    rules: broken({ decideAgreement: decideByMajority }),
    shape: { theme: 'rollouts', releases },
  },
  {
    name: 'absent-ignored',
    breaks: 'rule 11: live servers that have not reported do not count',
    caughtBy: ['everyone-counted'],
    rules: broken({
      decideAgreement: (facts) =>
        decideAgreement({ ...facts, liveServers: new Set(), unrecorded: new Set() }),
    }),
    shape: { theme: 'calm', releases },
  },
  {
    name: 'epoch-stands',
    breaks: 'rule 10: the epoch is not raised when the encodings change',
    caughtBy: ['honest-agreement', 'migration-proof'],
    rules: broken({
      decideAgreement: (facts) => ({ ...decideAgreement(facts), epoch: facts.previous?.epoch ?? 1 }),
    }),
    shape: { theme: 'rollouts', releases },
  },
  {
    name: 'gap-unsaid',
    breaks: 'rule 18: records do not say that a server writes without recording it',
    caughtBy: ['recorded-version'],
    rules: broken({ decideAgreement: (facts) => decideAgreement({ ...facts, unrecorded: new Set() }) }),
    shape: { theme: 'calm', releases, parts: partsOf['some-unrecorded'] },
  },
  {
    name: 'gap-blind-retry',
    breaks: 'rule 18: one that does not record writes on although the record does not say so any more',
    caughtBy: ['recorded-version', 'migration-proof'],
    rules: broken({ decideBrokenGap: () => ({ do: 'retry' }) }),
    shape: { theme: 'zombies', releases, parts: partsOf['some-unrecorded'] },
  },
  {
    name: 'unseen-ignored',
    breaks: 'rule 18: a server without a Lease is not counted among the writers',
    caughtBy: ['recorded-version', 'migration-proof'],
    rules: broken({ decideAgreement: decideWithoutUnseen }),
    shape: { theme: 'calm', releases, parts: partsOf['some-unseen'] },
  },
  {
    name: 'wall-clock-collector',
    breaks: 'rule 8: a Lease is called expired by the wall clock',
    caughtBy: ['live-not-expelled'],
    wallClockCollector: true,
    shape: { theme: 'anything' },
  },
  {
    name: 'split-projection',
    breaks: 'record and StorageVersion are changed one after the other',
    caughtBy: ['honest-agreement'],
    wrapStore: splitProjection,
  },
  {
    name: 'unguarded-objects',
    breaks: 'a write does not look whether the object is still what it was read as',
    caughtBy: ['no-lost-write'],
    wrapStore: dropObjectGuards,
  },
  {
    name: 'unguarded-definitions',
    breaks: 'rule 4: writes of custom resources are not guarded by their definition',
    caughtBy: ['current-definition'],
    wrapConnection: dropDefinitionGuards,
    shape: { definitions: true },
  },
  {
    name: 'unguarded-publication',
    breaks: 'rule 4: the entry of a custom resource is published whatever its definition says by now',
    caughtBy: ['entry-by-definition'],
    wrapConnection: dropPublicationGuards,
    shape: { definitions: true },
  },
  {
    name: 'old-codec',
    breaks: 'rule 4: a write that was begun by one definition is finished under the next one',
    caughtBy: ['current-definition'],
    wrapConnection: renewDefinitionGuards,
    shape: { definitions: true },
  },
  {
    name: 'names-out-of-turn',
    breaks: 'names of a group are decided by several servers at once',
    caughtBy: ['accepted-names'],
    wrapConnection: dropTurnGuards,
    shape: { definitions: true },
  },
  ...voteSabotages,
  ...memorySabotages,
  ...migrationSabotages,
  ...controllerSabotages,
  ...mirrorSabotages,
  ...keySabotages,
  ...watchSabotages,
  ...statusSabotages,
  ...unseenSabotages,
]

function decideByMajority(facts: Parameters<typeof decideAgreement>[0]): ReturnType<typeof decideAgreement> {
  const counts = new Map<string, number>()
  for (const { encodingVersion } of facts.entries) {
    counts.set(encodingVersion, (counts.get(encodingVersion) ?? 0) + 1)
  }
  const [most] = [...counts].find(([, count]) => 2 * count > facts.entries.length) ?? []
  const honest = decideAgreement(facts)
  const missing = honest.conditions.some(
    ({ type, status }) => type === 'AllServersReported' && status !== 'True',
  )
  return most === undefined || missing ? honest : { ...honest, agreedVersion: most, agreedSince: facts.now }
}

function decideWithoutUnseen(
  facts: Parameters<typeof decideAgreement>[0],
): ReturnType<typeof decideAgreement> {
  const { unseenProcesses: _, ...previous } = facts.previous ?? {}
  const named = facts.unseen ?? facts.previous?.unseenProcesses ?? []
  const decided = decideAgreement({
    ...{ ...facts, unseen: [] },
    previous: facts.previous && (previous as typeof facts.previous),
  })
  // Its name is in the record, so that it may write; nothing else follows from it.
  return named.length === 0 ? decided : { ...decided, unseenProcesses: [...named].sort() }
}

export const sabotageNamed = (name: string | undefined): Sabotage | undefined =>
  sabotages.find((each) => each.name === name)
