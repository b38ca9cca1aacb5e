import type { Sabotage } from './sabotage.ts'
import { releasePairs, type Shape } from './world/shape.ts'

/** Upgrades and rollbacks while somebody migrates all the time. */
const rolling: Partial<Shape> = {
  ...{ theme: 'upgrades', releases: releasePairs.switch, instances: ['a', 'b'], clients: 4 },
}
/** What clients write themselves nobody has to migrate: they take their time. */
const throughTheApi: Partial<Shape> = { ...rolling, migrations: 'engine', clients: 2, clientRestMs: 5_000 }

/** What is promised of migrations, broken one promise at a time. Those that take one moment are told in migration.test.ts. */
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
]
