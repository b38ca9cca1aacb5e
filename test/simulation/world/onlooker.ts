import { integer, pick, sleep } from '@strata/world'
import type { SimNetwork, SimProcess } from '@strata/world/sim'
import type { History, Observation } from '../history.ts'
import { operationHeader } from './fleet.ts'
import { type Json, request } from './request.ts'

export interface OnlookerParts {
  readonly process: SimProcess
  readonly network: SimNetwork
  readonly history: History
  readonly serverNames: () => readonly string[]
  readonly nowMs: () => number
  readonly revision: () => number
  readonly views: readonly [Observation['view'], ...Observation['view'][]]
  /** Between two looks, at least and at most. */
  readonly leastRestMs: number
  readonly restMs: number
  /** Versions of the example kind that every server serves. */
  readonly served: readonly [string, ...string[]]
}

const group = 'lighthouse.example.dev'

/** Where one can see what the servers have agreed on, or whether they serve the same documents, and how it is said there. */
const views = {
  record: {
    target: () => `/apis/strata.dev/v1alpha1/storageagreements/${group}.beacons`,
    read: ({ status }: Json): string | undefined => status.agreedVersion,
  },
  storageVersion: {
    target: () => `/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/${group}.beacons`,
    read: ({ status }: Json): string | undefined => status.commonEncodingVersion,
  },
  discovery: {
    target: (served: string) => `/apis/${group}/${served}`,
    read: ({ resources }: Json): string | undefined =>
      resources.find(({ name }: Json) => name === 'beacons')?.storageVersionHash,
  },
  consistent: {
    target: () => '/apis',
    read: ({ consistent }: Json): string | undefined => (consistent === true ? 'true' : undefined),
  },
} as const

export const agreedViews = ['record', 'storageVersion', 'discovery'] as const

/** Someone who looks all the time at what is agreed, here and there, and writes down what was shown. */
export async function runOnlooker(parts: OnlookerParts): Promise<never> {
  const { process, network, history, serverNames, nowMs, revision, served, leastRestMs, restMs } = parts
  for (;;) {
    await sleep(process.clock, leastRestMs + integer(process.random, restMs))
    const view = pick(process.random, parts.views)
    const [first = '', ...others] = serverNames()
    const server = pick(process.random, [first, ...others])
    const { target, read } = views[view]
    const observation: Observation = {
      view,
      startMs: nowMs(),
      startRevision: revision(),
      servedBy: new Set(),
    }
    const id = `seen-${history.observations.push(observation) - 1}`
    const asked = {
      method: 'GET',
      target: target(pick(process.random, served)),
      timeoutMs: 8_000,
      headers: { [operationHeader]: id },
    } as const
    try {
      const { status, body } = await request(process, network.connect(process, server), asked)
      if (status !== 200) continue
      const shown = read(body)
      observation.end = { endMs: nowMs(), endRevision: revision(), shown }
    } catch (error) {
      process.log.debug('could not look', { server, error: String(error) })
    }
  }
}
