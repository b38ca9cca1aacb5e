import { type Faults, noFaults } from '@strata/server/store'
import type { NetworkFaults, SimNetwork } from '@strata/world/sim'

type Changeable<T> = { -readonly [Field in keyof T]: T[Field] }

/** What happens between an aggregator and the servers behind it, besides what happens on every way. */
export interface ProxyFaults {
  readonly maxDelayMs: number
  /** The chance that there is no connection, that the answer is lost, and that it is cut in the middle. */
  readonly refused: number
  readonly lost: number
  readonly cut: number
}

/** How bad the ways are: to the store, between clients and servers, and from an aggregator to those behind it. */
export interface Weather {
  readonly proxy: ProxyFaults
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
    proxy: { maxDelayMs: 2, refused: 0, lost: 0, cut: 0 },
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
    proxy: { maxDelayMs: 60, refused: 0.01, lost: 0.01, cut: 0.01 },
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
    proxy: { maxDelayMs: 2_000, refused: 0.05, lost: 0.05, cut: 0.05 },
  },
} as const satisfies Record<string, { store: Faults; network: Partial<NetworkFaults>; proxy: ProxyFaults }>

export function createWeather(network: SimNetwork): Weather {
  const store: Changeable<Faults> = { ...noFaults }
  let lateUntilMs = 0
  let proxy: ProxyFaults = kinds.clear.proxy
  return {
    get proxy() {
      return proxy
    },
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
      proxy = kinds[kind].proxy
    },
  }
}
