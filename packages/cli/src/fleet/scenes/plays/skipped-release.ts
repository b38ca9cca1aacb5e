import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import { describeCounts, type Stored, takeCensus } from '../take-census.ts'
import { beacons, createBeacons, knowsOnlyV2, storesV1, storesV2, whyNoUpgrade } from './beacons.ts'
import { beginRoll, loadLater, untilRollIs, untilWritten } from './roll-steps.ts'

export interface SkippedFacts {
  readonly stored: Stored
  /** The exit code of `strata check`: 1 is unsafe. */
  readonly check: number
  readonly server: string
  /** Why that server did not become ready. */
  readonly failure: string
  readonly writtenMeanwhile: number
  readonly releasesAfter: readonly string[]
  readonly storedAfter: Stored
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
      return { seen: `stored: ${describeCounts(stored.byVersion)}`, facts: { stored } }
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
      const storedAfter = await takeCensus(stage, beacons)
      const releasesAfter = [...new Set(servers.map(({ release }) => release))]
      const seen = `all run ${releasesAfter.join(', ')}; stored: ${describeCounts(storedAfter.byVersion)}`
      return { seen, facts: { releasesAfter, storedAfter } }
    },
  },
]

const checkUnsafe = 1

export function decideSkipped(facts: Partial<SkippedFacts>): Verdict {
  const { stored, check, server, failure, writtenMeanwhile = 0, releasesAfter, storedAfter } = facts
  if (!stored || !releasesAfter || !storedAfter)
    return { proven: false, sentence: 'the roll was not seen to its end' }
  if (!stored.byVersion['v1'])
    return { proven: false, sentence: `nothing was stored in v1, so ${knowsOnlyV2} can read everything` }
  if (check !== checkUnsafe)
    return { proven: false, sentence: `strata check ended with exit code ${check}, and not with "unsafe"` }
  if (!failure || !server) return { proven: false, sentence: `a server became ready with ${knowsOnlyV2}` }
  if (writtenMeanwhile === 0) return { proven: false, sentence: 'no write was seen meanwhile' }
  if (releasesAfter.join() !== storesV1 || storedAfter.total < objects.length)
    return {
      proven: false,
      sentence: `afterwards the servers run ${releasesAfter.join(', ')}, and ${storedAfter.total} objects are stored`,
    }
  return {
    proven: true,
    sentence: `strata check called ${knowsOnlyV2} unsafe; ${server} did not become ready with it, because it cannot read v1, the other servers went on and acknowledged ${writtenMeanwhile} writes, and on the way back nothing was lost`,
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
