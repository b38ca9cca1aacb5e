import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import { describeCounts, takeCensus } from '../take-census.ts'
import { whyNotQuiet } from './beacons.ts'
import { type FenceRound, playRound } from './fence-round.ts'
import {
  applyLanternCrd,
  createLanterns,
  defineLanterns,
  lanternCrd,
  lanternRecord,
  lanterns,
} from './lanterns.ts'

export interface FenceFacts {
  readonly server: string
  readonly rounds: readonly FenceRound[]
}

const held = 5
/** The thawed server may read the new agreement before it goes on with a write. Then nothing is refused, and nothing is shown. */
const mostRounds = 8

const steps = (names: readonly string[]): readonly SceneStep<FenceFacts>[] => {
  const server = names.at(-1) ?? ''
  const others = names.slice(0, -1)
  return [
    {
      text: `All servers store the objects of a CRD in v1; ${held} are stored.`,
      typed: [applyLanternCrd, `kubectl get storageagreements ${lanternRecord}`],
      look: 'Agreement: every server writes v1',
      act: async (stage) => {
        await defineLanterns(stage)
        await createLanterns(stage, held)
        const { byVersion } = await takeCensus(stage, lanterns)
        return { seen: `stored: ${describeCounts(byVersion)}`, facts: { server } }
      },
    },
    {
      text: `Clients write through ${server}. It is frozen in the middle of that, like a machine that stands still. The storage version becomes v2, and the others write it. Then ${server} goes on where it was, and still believes in v1.`,
      typed: [
        `playground freeze ${server}`,
        `playground switch-storage-version ${lanternCrd} v2`,
        `playground thaw ${server}`,
        `kubectl get --raw /metrics --context ${server} | grep strata_fence_broken_guards_total`,
      ],
      look: `Servers: ${server} is frozen; Timeline: frozen, v2, thawed`,
      act: async (stage) => {
        const rounds: FenceRound[] = []
        while (rounds.length < mostRounds && !rounds.some(isShown)) {
          const old = rounds.length % 2 === 0 ? 'v1' : 'v2'
          rounds.push(await playRound(stage, { server, others, old, number: rounds.length + 1 }))
        }
        return { seen: describeRound(rounds), facts: { rounds } }
      },
    },
  ]
}

function describeRound(rounds: readonly FenceRound[]): string {
  const last = rounds.at(-1)
  if (!last) return 'nothing'
  const { old, now, waiting, refused, before, after } = last
  const which = rounds.length === 1 ? '' : `round ${rounds.length}, from ${old} to ${now}: `
  return `${which}${waiting} clients waited; the store refused ${refused} writes; stored while it was frozen: ${describeCounts(before.byVersion)}, after its answers: ${describeCounts(after.byVersion)}`
}

/** Nothing may have been rewritten between the two counts, or they say nothing about who wrote the old version. */
const isShown = ({ refused, isUntouched }: FenceRound): boolean => refused > 0 && isUntouched

export function decideFence({ server = 'the server', rounds = [] }: Partial<FenceFacts>): Verdict {
  const inOld = ({ old }: FenceRound, stored: FenceRound['after']): number => stored.byVersion[old] ?? 0
  const leaked = rounds.find((each) => each.isUntouched && inOld(each, each.after) > inOld(each, each.before))
  if (leaked)
    return {
      proven: false,
      sentence: `after the thaw ${inOld(leaked, leaked.after)} objects are stored in ${leaked.old}, and ${inOld(leaked, leaked.before)} were before: an old version was written`,
    }
  const shown = rounds.find(isShown)
  if (!shown)
    return {
      proven: false,
      sentence: `in ${rounds.length} rounds ${server} read the new agreement before it went on to write, so nothing had to be refused; play the scene again`,
    }
  const { refused, waiting, old, now, before, after } = shown
  const more = (after.byVersion[now] ?? 0) - (before.byVersion[now] ?? 0)
  return {
    proven: true,
    sentence: `${server} was frozen while ${waiting} clients waited for it and the others went from ${old} to ${now}; thawed, it tried to store ${old}, and the store refused ${refused} ${refused === 1 ? 'write' : 'writes'}; all ${more} objects that it stored then are in ${now}, and not one more in ${old}`,
  }
}

export const fence = defineScene<FenceFacts>({
  name: 'fence',
  title: 'A server that was frozen cannot write the old version',
  shows: 'The store refuses a write under an agreement that has moved on, however late it comes',
  ownFleet: undefined,
  whyNot: (state) =>
    whyNotQuiet(state) ?? (state.servers.length < 2 ? 'it needs at least two servers' : undefined),
  steps: ({ servers }) => steps(servers.map(({ name }) => name)),
  decide: decideFence,
})
