import { cannotDecodePhrase } from '@strata/api'
import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import { describeCounts, type Stored, takeCensus } from '../take-census.ts'
import {
  beacons,
  createBeacons,
  knowsOnlyV2,
  readNames,
  storesV1,
  storesV2,
  whyNoUpgrade,
} from './beacons.ts'
import { beginRoll, loadLater, untilRollIs, untilWritten } from './roll-steps.ts'

export interface SkippedFacts {
  readonly stored: Stored
  /** The objects of before, and those that can be read at the end; without those of the load. */
  readonly names: readonly string[]
  readonly namesAfter: readonly string[]
  /** The exit code of `strata check`: 1 is unsafe. */
  readonly check: number
  readonly server: string
  /** Why that server did not become ready. */
  readonly failure: string
  readonly writtenMeanwhile: number
  readonly releasesAfter: readonly string[]
}

const objects = ['scene-skipped-1', 'scene-skipped-2', 'scene-skipped-3']

const steps = (): readonly SceneStep<SkippedFacts>[] => [
  {
    text: `The servers run ${storesV1}, and beacons are stored in v1.`,
    typed: ['census beacons.lighthouse.example.dev'],
    look: 'Storage: beacons',
    act: async (stage) => {
      await createBeacons(stage, objects)
      await loadLater(stage, 20)
      await untilWritten(stage, 10)
      const stored = await takeCensus(stage, beacons)
      const names = await readNames(stage)
      return { seen: `stored: ${describeCounts(stored.byVersion)}`, facts: { stored, names } }
    },
  },
  {
    text: `${knowsOnlyV2} reads v2 only; ${storesV2}, which reads both, is skipped. Ask before: can ${knowsOnlyV2} read what is stored?`,
    typed: [`check --to ${knowsOnlyV2}`],
    look: 'Safety: pick the release',
    act: async (stage) => {
      const { exitCode: check, stdout } = await stage.strata('check', '--to', knowsOnlyV2)
      const unsafe = /^UNSAFE: .*$/m.exec(stdout)?.[0]
      return { seen: unsafe ?? `exit code ${check}`, facts: { check } }
    },
  },
  {
    text: 'Do it all the same. The first server starts with it, and must not serve what it cannot read.',
    typed: [`roll --to ${knowsOnlyV2} --skip-releases`, 'playground show -o wide'],
    look: 'Servers: one is not ready, and says why; the others go on',
    act: async (stage) => {
      await beginRoll(stage, { to: knowsOnlyV2, skipReleases: true })
      const before = (await stage.control.read()).load?.written ?? 0
      const failed = await stage.until('the roll has failed', async () => {
        const state = await stage.control.read()
        return ['failed', 'done'].includes(state.roll?.state ?? '') ? state : undefined
      })
      const { written } = await untilWritten(stage, 20)
      const server = failed.servers.find(({ release }) => release === knowsOnlyV2)?.name ?? ''
      const failure = failed.roll?.state === 'failed' ? failed.roll.message : ''
      const writtenMeanwhile = written - before
      return {
        seen: `${failure === '' ? 'the roll is done' : failure}; the others acknowledged ${writtenMeanwhile} writes`,
        facts: { server, failure, writtenMeanwhile },
      }
    },
  },
  {
    text: 'Go back: the server returns to its release.',
    typed: ['roll --back'],
    look: 'Servers: all ready',
    act: async (stage) => {
      await stage.control.act({ action: 'back' })
      const { servers } = await untilRollIs(stage, ['done'])
      const { byVersion } = await takeCensus(stage, beacons)
      const namesAfter = await readNames(stage)
      const releasesAfter = [...new Set(servers.map(({ release }) => release))]
      const seen = `all run ${releasesAfter.join(', ')}; stored: ${describeCounts(byVersion)}`
      return { seen, facts: { releasesAfter, namesAfter } }
    },
  },
]

const checkUnsafe = 1

/** Another reason, such as a port that is taken, says nothing about the release. */
const isUnreadable = (failure: string): boolean =>
  failure.includes(cannotDecodePhrase) && failure.includes(`${beacons.group}/v1`)

export function decideSkipped(facts: Partial<SkippedFacts>): Verdict {
  const { stored, names, namesAfter, check, server, failure, writtenMeanwhile = 0, releasesAfter } = facts
  const notProven = (sentence: string): Verdict => ({ proven: false, sentence })
  if (!stored || !names || !namesAfter || !releasesAfter) return notProven('the roll was not seen to its end')
  if (!stored.byVersion['v1'])
    return notProven(`nothing was stored in v1, so ${knowsOnlyV2} can read everything`)
  if (check !== checkUnsafe)
    return notProven(`strata check ended with exit code ${check}, and not with "unsafe"`)
  if (!failure || !server) return notProven(`a server became ready with ${knowsOnlyV2}`)
  if (!isUnreadable(failure))
    return notProven(`${server} failed for another reason than objects in v1: ${failure}`)
  if (writtenMeanwhile === 0) return notProven('no write was seen meanwhile')
  if (releasesAfter.join() !== storesV1)
    return notProven(`afterwards the servers run ${releasesAfter.join(', ')}`)
  const lost = names.filter((each) => !namesAfter.includes(each))
  if (names.length === 0 || lost.length > 0)
    return notProven(`of ${names.length} objects, ${lost.length} are gone afterwards: ${lost.join(', ')}`)
  return {
    proven: true,
    sentence: `strata check called ${knowsOnlyV2} unsafe; ${server} did not become ready with it, because it cannot read v1, the other servers went on and acknowledged ${writtenMeanwhile} writes, and after the way back all ${names.length} objects of before can be read`,
  }
}

export const skippedRelease = defineScene<SkippedFacts>({
  name: 'skipped-release',
  title: 'A skipped release',
  shows: 'A release that cannot read what is stored is refused, before and also during the upgrade',
  ownFleet: undefined,
  whyNot: whyNoUpgrade,
  steps,
  decide: decideSkipped,
})
