import { agreementName, type GroupResource, storageVersionMigrations } from '@strata/api'
import type { Client } from '@strata/client'
import { deadline, integer, pick, sleep } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'

export interface AskerParts {
  readonly process: SimProcess
  readonly client: Client
  readonly resources: readonly [GroupResource, ...GroupResource[]]
}

/** Requests migrations beside the trigger, as users do: each with its own object. */
export async function runAsker({ process, client, resources }: AskerParts): Promise<never> {
  for (let count = 1; ; count++) {
    await sleep(process.clock, 2_000 + integer(process.random, 12_000))
    const { group, resource } = pick(process.random, resources)
    const name = `asked-${count}-${agreementName({ group, resource })}`
    const limit = deadline(process.clock, 8_000)
    try {
      await client
        .resource(storageVersionMigrations, 'v1beta1')
        .create({ metadata: { name }, spec: { resource: { group, resource } }, status: {} }, limit.signal)
    } catch (error) {
      process.log.debug('could not ask for a migration', { name, error: String(error) })
    } finally {
      limit.dispose()
    }
  }
}
