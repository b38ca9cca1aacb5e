import type { WriteCounts } from '../../load/write-load.ts'
import { describeWriters, isReadByAll, listed, type RecordView, readRecord } from '../record-view.ts'
import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import { describeCounts, type Stored, takeCensus } from '../take-census.ts'
import { beaconRecord, beacons, storesV1, storesV2, whyNoUpgrade } from './beacons.ts'
import { beginRoll, loadLater, untilRollIs, untilWritten } from './roll-steps.ts'

export interface UpgradeFacts {
  readonly before: RecordView
  readonly halfWay: RecordView
  readonly storedHalfWay: Stored
  readonly after: RecordView
  readonly load: WriteCounts
}

const writesPerSecond = 20
const someWrites = 20

const steps = (): readonly SceneStep<UpgradeFacts>[] => [
  {
    text: `Clients write beacons through all servers, ${writesPerSecond} times per second. All servers run ${storesV1}, which stores v1 and also reads v2.`,
    typed: [`playground load ${writesPerSecond}`, `kubectl get storageagreements ${beaconRecord}`],
    look: 'Agreement: each server writes v1 (v2)',
    act: async (stage) => {
      await loadLater(stage, writesPerSecond)
      await untilWritten(stage, someWrites)
      const before = await readRecord(stage, beacons)
      return { seen: `${describeWriters(before)}; agreed: ${before.agreed ?? 'no'}`, facts: { before } }
    },
  },
  {
    text: `The first server goes to ${storesV2}, which prefers to store v2. The roll pauses after it.`,
    typed: [`roll --to ${storesV2} --one-by-one`, 'status'],
    look: 'Agreement: beacons disagree, and the sentence at the top says what to do',
    act: async (stage) => {
      await beginRoll(stage, { to: storesV2, oneByOne: true })
      await untilRollIs(stage, ['paused'])
      await untilWritten(stage, someWrites)
      const halfWay = await readRecord(stage, beacons)
      const storedHalfWay = await takeCensus(stage, beacons)
      const seen = `${describeWriters(halfWay)}; stored: ${describeCounts(storedHalfWay.byVersion)}; each server reads both`
      return {
        seen: isReadByAll(halfWay) ? seen : describeWriters(halfWay),
        facts: { halfWay, storedHalfWay },
      }
    },
  },
  {
    text: 'The other servers follow, one after the other.',
    typed: ['roll --resume'],
    look: 'Timeline: each server leaves and joins; Agreement: agreed again, with the last one',
    act: async (stage) => {
      await stage.control.act({ action: 'resume' })
      await untilRollIs(stage, ['done'])
      const after = await stage.until('the servers agree', async () => {
        const record = await readRecord(stage, beacons)
        return record.agreed === undefined ? undefined : record
      })
      const load = await untilWritten(stage, someWrites)
      const { written, refused, unknown } = load
      const seen = `${describeWriters(after)}; agreed: ${after.agreed}; ${written} writes acknowledged, ${refused} refused, ${unknown} without an answer`
      return { seen, facts: { after, load } }
    },
  },
]

/** Nothing is claimed that a step has not seen. */
export function decideUpgrade({
  before,
  halfWay,
  storedHalfWay,
  after,
  load,
}: Partial<UpgradeFacts>): Verdict {
  if (!before || !halfWay || !storedHalfWay || !after || !load)
    return { proven: false, sentence: 'the upgrade was not seen to its end' }
  if (before.agreed === undefined || after.agreed === undefined || before.agreed === after.agreed)
    return {
      proven: false,
      sentence: `the agreed version was ${before.agreed ?? 'none'} before and ${after.agreed ?? 'none'} after: no change was seen`,
    }
  const written = [...new Set(halfWay.writers.map(({ writes }) => writes))]
  if (written.length < 2)
    return {
      proven: false,
      sentence: 'half-way all servers wrote one version, so there was nothing to agree on',
    }
  const unread = Object.keys(storedHalfWay.byVersion).find((version) =>
    halfWay.writers.some(({ reads }) => !reads.includes(version)),
  )
  if (!isReadByAll(halfWay) || unread !== undefined)
    return {
      proven: false,
      sentence: `half-way a server could not read ${unread ?? 'what another one writes'}`,
    }
  const refused = load.refused === 0 ? 'none was refused' : `${load.refused} were refused`
  const unanswered = load.unknown === 0 ? '' : `, and ${load.unknown} got no answer`
  return {
    proven: true,
    sentence: `${after.writers.length} servers went from ${before.agreed} to ${after.agreed} one after the other while clients wrote ${load.written} times, and ${refused}${unanswered}; half-way the record said who writes ${listed(written)}, and every server could read all that was stored`,
  }
}

export const upgrade = defineScene<UpgradeFacts>({
  name: 'upgrade',
  title: 'An upgrade, server by server',
  shows:
    'Servers of two releases write two versions for a while; the record says who writes what, and every server reads both',
  ownFleet: undefined,
  whyNot: whyNoUpgrade,
  steps,
  decide: decideUpgrade,
})
