import { type GroupResource, storageCensuses } from '@strata/api'
import type { Client } from '@strata/client'
import { deadline, integer, pick, sleep } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'

export interface CensusTakerParts {
  readonly process: SimProcess
  readonly client: Client
  readonly resources: readonly [GroupResource, ...GroupResource[]]
}

/** Takes a census again and again. If it proves a resource clean, the record forgets the other versions. */
export async function runCensusTaker({ process, client, resources }: CensusTakerParts): Promise<never> {
  for (;;) {
    await sleep(process.clock, 300 + integer(process.random, 2_000))
    const spec = pick(process.random, resources)
    const limit = deadline(process.clock, 8_000)
    try {
      const question = { metadata: {}, spec: { ...spec } }
      const { status } = await client.resource(storageCensuses, 'v1alpha1').create(question, limit.signal)
      process.log.debug('counted', { ...spec, proven: status?.proven, stale: status?.stale })
    } catch (error) {
      process.log.debug('could not count', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }
}
