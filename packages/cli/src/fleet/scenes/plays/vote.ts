import { describeWriters, type RecordView, readRecord } from '../record-view.ts'
import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import type { Stage } from '../stage.ts'
import { beaconRecord, beacons, createBeacons, storesV1, storesV2, whyNoBeacons } from './beacons.ts'
import { untilRollIs } from './roll-steps.ts'

export interface VoteFacts {
  /** Before the roll, and after each server. */
  readonly looks: readonly RecordView[]
}

const look = async (stage: Stage, earlier: readonly RecordView[] = []) => {
  const { servers } = await stage.control.read()
  const record = await stage.until('all servers have voted', async () => {
    const seen = await readRecord(stage, beacons)
    return seen.writers.length === servers.length ? seen : undefined
  })
  return { seen: describeVotes(record), facts: { looks: [...earlier, record] } }
}

function describeVotes(record: RecordView): string {
  const votes = Map.groupBy(record.writers, ({ prefers }) => prefers)
  const counted = [...votes].map(([version, voters]) => `${voters.length} for ${version}`).join(', ')
  return `votes: ${counted}; selected: ${record.selected}; ${describeWriters(record)}`
}

const typed = [`kubectl get storageversions.kube-apiserver.internal.k8s.io ${beaconRecord}`]

const steps = (): readonly SceneStep<VoteFacts>[] => [
  {
    text: `All servers run ${storesV1} and vote for v1.`,
    typed,
    look: 'Agreement: votes and the selected version',
    act: async (stage) => {
      await createBeacons(stage, ['scene-vote'])
      return look(stage)
    },
  },
  {
    text: `The first server goes to ${storesV2}. It votes for v2, and writes what is selected.`,
    typed: [`roll --to ${storesV2} --one-by-one`, ...typed],
    act: async (stage, { looks }) => {
      await stage.control.act({ action: 'roll', to: storesV2, oneByOne: true })
      await untilRollIs(stage, ['paused'])
      return look(stage, looks)
    },
  },
  {
    text: 'The others follow, one with each resume. With the last one, all vote for v2.',
    typed: ['roll --resume --one-by-one', ...typed],
    look: 'Timeline: the selection moves once',
    act: async (stage, { looks = [] }) => {
      let seen = { seen: '', facts: { looks } }
      for (;;) {
        await stage.control.act({ action: 'resume', oneByOne: true })
        const { roll } = await untilRollIs(stage, ['paused', 'done'])
        seen = await look(stage, seen.facts.looks)
        if (roll?.state === 'done') return seen
      }
    },
  },
]

export function decideVote({ looks = [] }: Partial<VoteFacts>): Verdict {
  const [before, ...rest] = looks
  const after = rest.at(-1)
  const between = rest.slice(0, -1)
  if (!before || !after || between.length === 0)
    return { proven: false, sentence: 'the upgrade was not seen to its end' }
  const torn = looks.find(({ writers }) => new Set(writers.map(({ writes }) => writes)).size > 1)
  if (torn)
    return { proven: false, sentence: `the servers wrote different versions: ${describeWriters(torn)}` }
  const isSplit = ({ writers }: RecordView): boolean =>
    new Set(writers.map(({ prefers }) => prefers)).size > 1
  const moved = between.find(({ selected }) => selected !== before.selected)
  if (moved || !between.every(isSplit))
    return {
      proven: false,
      sentence: `the selection was ${(moved ?? before).selected} before all had voted for it`,
    }
  if (after.selected === before.selected || isSplit(after))
    return { proven: false, sentence: `the selection stayed ${after.selected}` }
  return {
    proven: true,
    sentence: `${after.writers.length} servers that vote wrote one version at every look: ${before.selected} while some still voted for it, and ${after.selected} once all preferred it`,
  }
}

export const vote = defineScene<VoteFacts>({
  name: 'vote',
  title: 'The same by vote',
  shows: 'Servers that vote never write two versions: the selection moves once, with the last server',
  ownFleet: {
    which: 'whose servers vote',
    arguments: async () => ['--storage-version-coordination', 'vote', '--release', storesV1],
  },
  // Its own fleet begins where it must: of the running one it takes only the kinds.
  whyNot: whyNoBeacons,
  steps,
  decide: decideVote,
})
