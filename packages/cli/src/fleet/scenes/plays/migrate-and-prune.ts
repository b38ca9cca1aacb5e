import { type CustomResourceDefinition, customResourceDefinitions } from '@strata/api'
import { addressOf } from '@strata/client'
import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import { describeCounts, type Stored, takeCensus } from '../take-census.ts'
import { whyNotQuiet } from './beacons.ts'
import {
  applyLanternCrd,
  createLanterns,
  defineLanterns,
  lanternCrd,
  lanterns,
  untilAllWrite,
} from './lanterns.ts'

export interface MigrateFacts {
  readonly before: Stored
  readonly after: Stored
  /** The exit codes of the commands. */
  readonly migrate: number
  readonly verify: number
  readonly prune: number
  readonly storedVersions: readonly string[]
}

const count = 40

const steps = (): readonly SceneStep<MigrateFacts>[] => [
  {
    text: `A CRD with the versions v1 and v2 stores v1. ${count} objects are created.`,
    typed: [applyLanternCrd, `census ${lanternCrd}`],
    look: 'Storage: one layer',
    act: async (stage) => {
      await defineLanterns(stage)
      await createLanterns(stage, count)
      const before = await takeCensus(stage, lanterns)
      return { seen: `stored: ${describeCounts(before.byVersion)}`, facts: { before } }
    },
  },
  {
    text: 'From now on v2 is the storage version. What is stored stays as it is, until someone rewrites it.',
    typed: [`playground switch-storage-version ${lanternCrd} v2`],
    look: 'Agreement: agreed on v2; Storage: the old layer is still there',
    act: async (stage) => {
      await stage.control.act({ action: 'switch-storage-version', crd: lanternCrd, version: 'v2' })
      await untilAllWrite(stage, 'v2')
      const { byVersion } = await takeCensus(stage, lanterns)
      return { seen: `all servers write v2; stored: ${describeCounts(byVersion)}` }
    },
  },
  {
    text: 'Migrate: every object is rewritten. The controllers of the fleet begin by themselves; the command takes part.',
    typed: [`migrate ${lanternCrd}`],
    look: 'Migrations: progress; Storage: the old layer shrinks',
    act: async (stage) => {
      const { exitCode: migrate } = await stage.strata('migrate', lanternCrd)
      const after = await takeCensus(stage, lanterns)
      return {
        seen: `exit code ${migrate}; stored: ${describeCounts(after.byVersion)}`,
        facts: { migrate, after },
      }
    },
  },
  {
    text: 'Prove: is everything in v2, and can no server store v1 any more?',
    typed: [`verify ${lanternCrd}`],
    look: 'Storage: the badge "proven"',
    act: async (stage) => {
      const { exitCode: verify } = await stage.strata('verify', lanternCrd)
      return { seen: verify === 0 ? 'proven' : `exit code ${verify}`, facts: { verify } }
    },
  },
  {
    text: 'Prune: v1 leaves status.storedVersions, so that the next CRD may drop it.',
    typed: [`prune ${lanternCrd}`, `kubectl get crd ${lanternCrd} -o jsonpath='{.status.storedVersions}'`],
    act: async (stage) => {
      const { exitCode: prune } = await stage.strata('prune', lanternCrd)
      const crds = stage.client.resource<CustomResourceDefinition>(addressOf(customResourceDefinitions, 'v1'))
      const { status } = await crds.get({ name: lanternCrd }, stage.signal)
      const storedVersions = status?.storedVersions ?? []
      return { seen: `storedVersions: ${storedVersions.join(', ')}`, facts: { prune, storedVersions } }
    },
  },
]

export function decideMigrate(facts: Partial<MigrateFacts>): Verdict {
  const { before, after, migrate, verify, prune, storedVersions } = facts
  if (!before || !after || storedVersions === undefined)
    return { proven: false, sentence: 'the migration was not seen to its end' }
  const old = before.byVersion['v1'] ?? 0
  const failed = Object.entries({ migrate, verify, prune }).find(([, code]) => code !== 0)
  if (failed) return { proven: false, sentence: `strata ${failed[0]} ended with exit code ${failed[1]}` }
  const isMoved = old > 0 && Object.keys(after.byVersion).join() === 'v2' && after.total === before.total
  if (!isMoved || !after.proven)
    return {
      proven: false,
      sentence: `stored are ${describeCounts(after.byVersion)}, and ${before.total} were`,
    }
  if (storedVersions.join() !== 'v2')
    return { proven: false, sentence: `storedVersions still has ${storedVersions.join(', ')}` }
  return {
    proven: true,
    sentence: `${old} objects that were stored in v1 are proven to be in v2, and no server can store v1: v1 is gone from storedVersions`,
  }
}

export const migrateScene = defineScene<MigrateFacts>({
  name: 'migrate',
  title: 'Migrate, prove, prune',
  shows:
    'A switched storage version changes nothing that is stored; a migration does, a census proves it, and the old version can go',
  ownFleet: undefined,
  whyNot: whyNotQuiet,
  steps,
  decide: decideMigrate,
})
