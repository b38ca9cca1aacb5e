import { utf8 } from '@strata/world'
import { hashOf } from './checkers/forgotten-on-proof.ts'
import type { Sabotage } from './sabotage.ts'
import { rewriting } from './world/bent-way.ts'
import { releasePairs, type Shape } from './world/shape.ts'

/** Upgrades and rollbacks while trigger and runner migrate. What clients write themselves nobody has to migrate. */
const migrating: Partial<Shape> = {
  ...{ theme: 'upgrades', releases: releasePairs.switch, instances: ['a', 'b'], migrations: 'controllers' },
  ...{ clients: 2, clientRestMs: 5_000 },
}

/** In which the older release of these worlds stores beacons. */
const firstHash = hashOf(utf8.encode('{"apiVersion":"lighthouse.example.dev/v1","kind":"Beacon"}'))

const ofMigrations = /\/storageversionmigrations\//

/** What is promised of trigger, runner and claim, broken where what they write leaves them. */
export const controllerSabotages: readonly Sabotage[] = [
  {
    name: 'trigger-forgets',
    breaks: 'migration: a StorageState forgets what was stored as soon as all write something else',
    caughtBy: ['forgotten-on-proof'],
    migrator: {
      rewrite: rewriting('PUT', /\/storagestates\/[^/]+\/status$/, ({ status, ...rest }) => {
        const { currentStorageVersionHash: current } = status
        return { ...rest, status: { ...status, persistedStorageVersionHashes: [current] } }
      }),
    },
    shape: migrating,
  },
  {
    name: 'trigger-never-adds',
    breaks: 'migration: a StorageState says for ever what was stored first, whatever is written later',
    caughtBy: ['complete-states'],
    migrator: {
      rewrite: rewriting('PUT', /\/storagestates\/beacons[^/]+\/status$/, ({ status, ...rest }) => ({
        ...rest,
        status: {
          ...status,
          currentStorageVersionHash: firstHash,
          persistedStorageVersionHashes: [firstHash],
        },
      })),
    },
    shape: { ...migrating, firstRelease: releasePairs.switch.older },
  },
  {
    name: 'runner-failed-is-done',
    breaks: 'migration: the runner says of one that has left something behind that it has succeeded',
    caughtBy: ['proven-clean'],
    migrator: {
      denied: /\/(storagereencodes|beacons\/o1)$/,
      rewrite: rewriting('PATCH', ofMigrations, ({ status, ...rest }) => {
        const conditions = status?.conditions?.map((each: { type: string }) =>
          each.type === 'Failed' ? { ...each, type: 'Succeeded' } : each,
        )
        return status ? { ...rest, status: { ...status, conditions, result: 'Proven' } } : rest
      }),
    },
    shape: migrating,
  },
  {
    name: 'claim-uncompared',
    breaks: 'migration: what a runner writes does not look whether another has claimed the migration since',
    caughtBy: ['held-claims'],
    migrator: {
      rewrite: rewriting('PATCH', ofMigrations, ({ metadata = {}, ...rest }) => {
        const { resourceVersion: _, ...told } = metadata
        return { ...rest, metadata: told }
      }),
    },
    shape: { ...migrating, theme: 'calm' },
  },
]
