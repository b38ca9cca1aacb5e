import { sleep, type Transport } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { type Json, request } from './request.ts'

const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const identityLabel = 'apiserver.kubernetes.io/identity'

/**
 * A collector as one would write it without rule 8, in place of the real one: it reads the time in the Lease and
 * compares it with its own wall clock. Preconditions it has, so that only its judgement is wrong.
 */
export async function runWallClockCollector(process: SimProcess, connect: () => Transport): Promise<void> {
  for (;;) {
    await sleep(process.clock, 3_000)
    try {
      const listed = await request(process, connect(), {
        method: 'GET',
        target: leasesPath,
        timeoutMs: 5_000,
      })
      for (const lease of listed.body.items ?? []) if (isExpired(lease)) await expel(lease)
    } catch (error) {
      process.log.debug('collecting failed', { error: String(error) })
    }
  }

  function isExpired({ metadata, spec }: Json): boolean {
    if (metadata.labels?.[identityLabel] === undefined) return false
    return process.clock.wallMs() > Date.parse(spec.renewTime) + 1000 * spec.leaseDurationSeconds
  }

  async function expel({ metadata: { name, uid, resourceVersion } }: Json): Promise<void> {
    const body = { preconditions: { uid, resourceVersion } }
    await request(process, connect(), {
      method: 'DELETE',
      target: `${leasesPath}/${name}`,
      body,
      timeoutMs: 5_000,
    })
  }
}
