import { type CustomResourceDefinition, storageVersionNameOf } from '@strata/api'
import type { PruneEvidence } from '@strata/controllers'
import type { Sabotage } from './sabotage.ts'
import { releasePairs, type Shape } from './world/shape.ts'

/** Upgrades and rollbacks while migrations run all the time. */
const rolling: Partial<Shape> = {
  ...{ theme: 'upgrades', releases: releasePairs.switch, instances: ['a', 'b'], clients: 4 },
}
/** Clients write slowly: an object that a client rewrites needs no migration. */
const throughTheApi: Partial<Shape> = { ...rolling, migrations: 'engine', clients: 2, clientRestMs: 5_000 }

/** Definitions go from one storage version to the other and back while their objects are migrated. */
const defining: Partial<Shape> = {
  ...{ ...throughTheApi, theme: 'calm', instances: ['a', 'b'], definitions: true },
}

const nextTo: Partial<Shape> = { ...throughTheApi, migrations: 'bulk' }

/** What is promised of migrations, broken one promise at a time. Those that need one exact moment are in migration.test.ts. */
export const migrationSabotages: readonly Sabotage[] = [
  {
    name: 'epoch-uncompared',
    breaks: 'migration: the target is not looked at again, neither beside the work nor after the last write',
    caughtBy: ['proven-clean'],
    migrator: { observe: (_seen, target) => ({ agreed: true, target }) },
    shape: throughTheApi,
  },
  {
    name: 'token-of-another-target',
    breaks: 'migration: one that was interrupted goes on where it was, whatever the target is by now',
    caughtBy: ['proven-clean'],
    migrator: { resume: (saved, target) => saved && { ...saved, target } },
    shape: throughTheApi,
  },
  {
    name: 'quarantine-ignored',
    breaks: 'migration: objects that were set aside do not count in the verdict',
    caughtBy: ['proven-clean'],
    migrator: {
      denied: /\/beacons\/o1$/,
      conclude: (end) => (end.outcome === 'incomplete' ? { outcome: 'succeeded', proof: 'proven' } : end),
    },
    shape: throughTheApi,
  },
  {
    name: 'refused-is-done',
    breaks: 'migration: an object whose write was refused counts as written',
    caughtBy: ['proven-clean'],
    migrator: { denied: /\/beacons\/o1$/, refusedIsDone: true },
    shape: throughTheApi,
  },
  {
    name: 'bulk-uncounted',
    breaks: 'migration: next to the data, the end of the batches is called proven, whatever became of them',
    caughtBy: ['proven-clean'],
    migrator: { isUncounted: true },
    shape: nextTo,
  },
  {
    name: 'prune-after-failure',
    breaks: 'prune: storedVersions are cut down after a migration that has left something behind',
    caughtBy: ['pruned-on-proof'],
    migrator: {
      denied: /\/gadgets\/o\d$/,
      evidence: (evidence) => ({ ...evidence, succeeded: true, proof: 'proven' }),
    },
    // Each state of a definition stands for long enough to be migrated, and there is something to be left behind.
    shape: { ...defining, clients: 3, clientRestMs: 8_000, definerRestMs: 25_000 },
  },
  {
    name: 'prune-uncompared',
    breaks: 'prune: a proof about another generation of the definition counts for the one that stands',
    caughtBy: ['pruned-on-proof'],
    migrator: { evidence: (evidence, definition) => ({ ...evidence, definition: stateOf(definition) }) },
    shape: defining,
  },
]

function stateOf(definition: CustomResourceDefinition): NonNullable<PruneEvidence['definition']> {
  const { uid = '', generation = 0 } = definition.metadata
  return { uid, generation, storageVersion: storageVersionNameOf(definition) ?? '' }
}
