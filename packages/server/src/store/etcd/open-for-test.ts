import { silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import type { Commit } from '../store.ts'
import { createEtcdStore, type EtcdStore, type EtcdStoreOptions } from './etcd-store.ts'

/** A store in the real world. It begins with the first endpoint, so that tests know the endpoint in use. */
export function open(
  endpoints: readonly string[],
  options: Partial<EtcdStoreOptions> = {},
): Promise<EtcdStore> {
  const random = { ...createNodeRandom(), fraction: () => 0 }
  return createEtcdStore({ endpoints, clock: nodeClock, random, log: silentLog, ...options })
}

export const forever: AbortSignal = new AbortController().signal

export const put = (key: string, value = 'x'): Commit => ({
  writes: [{ kind: 'put', key, value: new TextEncoder().encode(value) }],
  guards: [],
})
