import { type Faults, noFaults } from '@strata/server/store'
import type { NetworkFaults, SimNetwork } from '@strata/world/sim'

type Changeable<T> = { -readonly [Field in keyof T]: T[Field] }

/** How bad the ways are: to the store, and between clients and servers. */
export interface Weather {
  /** One object for the whole run: every connection looks at it anew for each request. */
  readonly store: Changeable<Faults>
  set(kind: WeatherKind): void
  /** A commit is on its way, and arrives then. */
  noteLate(arrivalMs: number): void
  /** When the last of them arrives. */
  readonly lateUntilMs: number
}

export type WeatherKind = keyof typeof kinds

const kinds = {
  clear: {
    store: { ...noFaults, delayMs: { from: 1, to: 4 } },
    network: { minDelayMs: 0.2, maxDelayMs: 2, dropRate: 0 },
  },
  /** An ordinary bad day. */
  drizzle: {
    store: {
      delayMs: { from: 1, to: 40 },
      requestLost: 0.004,
      answerLost: 0.01,
      commitRepeated: 0.02,
      commitLate: 0.004,
      latestMs: 120_000,
      watchCut: 0.02,
      watchRepeat: 0.5,
    },
    network: { minDelayMs: 0.5, maxDelayMs: 30, dropRate: 0.005 },
  },
  storm: {
    store: {
      delayMs: { from: 1, to: 900 },
      requestLost: 0.06,
      answerLost: 0.12,
      commitRepeated: 0.1,
      commitLate: 0.02,
      latestMs: 120_000,
      watchCut: 0.2,
      watchRepeat: 0.5,
    },
    network: { minDelayMs: 1, maxDelayMs: 400, dropRate: 0.05 },
  },
} as const satisfies Record<string, { store: Faults; network: Partial<NetworkFaults> }>

export function createWeather(network: SimNetwork): Weather {
  const store: Changeable<Faults> = { ...noFaults }
  let lateUntilMs = 0
  return {
    get lateUntilMs() {
      return lateUntilMs
    },
    noteLate: (arrivalMs) => {
      lateUntilMs = Math.max(lateUntilMs, arrivalMs)
    },
    store,
    set: (kind) => {
      Object.assign(store, kinds[kind].store)
      network.setFaults(kinds[kind].network)
    },
  }
}
