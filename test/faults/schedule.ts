import { integer, pick, shuffled } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import type { Choice, FaultKind } from './fault-kind.ts'
import { serverNames } from './stage/network.ts'
import type { StoreKind } from './stage/store-home.ts'

export interface FaultStep {
  readonly kind: FaultKind
  readonly choice: Choice
  /** Before it begins, and between its begin and its end. */
  readonly restMs: number
  readonly holdMs: number
}

/** A sequence of faults. The lanes of a round run in parallel. */
export type Lane = readonly FaultStep[]

export interface RoundPlan {
  readonly round: number
  readonly lanes: readonly Lane[]
}

const stepsPerLane = 3
const restMs = [300, 1_500] as const
/** A Lease is good for 4 s: some servers come back as one that was expelled meanwhile. */
const holdMs = [500, 8_000] as const

/**
 * The faults of one round, by seed and number alone. Servers and store are two lanes, so that a server fails while the store
 * does. Each lane deals its kinds as cards: every kind comes once before any comes twice.
 */
export function drawRound(
  seed: string,
  round: number,
  kinds: readonly FaultKind[],
  store: StoreKind,
): RoundPlan {
  const isOfStore = (kind: FaultKind): boolean =>
    kind.targets({ server: 'a', node: 0, magnitude: 0 }, store).includes('store')
  const lanes = [kinds.filter((kind) => !isOfStore(kind)), kinds.filter(isOfStore)]
  return {
    round,
    lanes: lanes
      .map((cards, lane) => (cards.length === 0 ? [] : drawLane(`${seed}/${lane}`, round, cards)))
      .filter((lane) => lane.length > 0),
  }
}

function drawLane(seed: string, round: number, cards: readonly FaultKind[]): Lane {
  const random = createSimRandom(`${seed}/${round}`)
  return Array.from({ length: stepsPerLane }, (_, index) => {
    const place = round * stepsPerLane + index
    const deal = Math.floor(place / cards.length)
    const kind = shuffled(cards, createSimRandom(`${seed}/deal-${deal}`))[place % cards.length]
    if (!kind) throw new Error('a lane without kinds')
    return {
      kind,
      choice: {
        server: pick(random, serverNames),
        node: pick(random, [0, 1, 2] as const),
        magnitude: random.fraction(),
      },
      restMs: between(restMs, integer(random, 1_000) / 1_000),
      holdMs: between(holdMs, integer(random, 1_000) / 1_000),
    }
  })
}

const between = ([low, high]: readonly [number, number], fraction: number): number =>
  Math.round(low + (high - low) * fraction)

export const describeStep = ({ kind, choice, holdMs: held }: FaultStep): string =>
  `${kind.name} (server ${choice.server}, node ${choice.node}, magnitude ${choice.magnitude.toFixed(2)}, held ${held} ms)`
