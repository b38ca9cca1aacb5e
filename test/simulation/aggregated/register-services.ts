import { sleep, type Transport } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { aggregatedGroup } from '../keys.ts'
import { request } from '../world/request.ts'

/** As an operator does once: one APIService for each version of the aggregated kind. */
export async function registerServices(
  process: SimProcess,
  connect: () => Transport,
  versions: readonly string[],
): Promise<void> {
  for (const version of versions) {
    const body = {
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
      metadata: { name: `${version}.${aggregatedGroup}` },
      spec: {
        ...{ group: aggregatedGroup, version, groupPriorityMinimum: 1000, versionPriority: 15 },
        ...{ insecureSkipTLSVerify: true, service: { namespace: 'aggregated', name: 'harbour' } },
      },
    }
    for (;;) {
      const target = '/apis/apiregistration.k8s.io/v1/apiservices'
      const asked = { method: 'POST', target, body, timeoutMs: 5_000 } as const
      const answer = await request(process, connect(), asked).catch(() => undefined)
      if (answer?.status === 201 || answer?.status === 409) break
      await sleep(process.clock, 500)
    }
  }
}
