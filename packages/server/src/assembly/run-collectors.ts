import { runAgreementCollectors } from '@strata/controllers'
import type { World } from '@strata/world'
import type { Loopback } from './loopback.ts'
import { runAsClient } from './run-as-client.ts'
import type { StrataServer } from './server-options.ts'

/**
 * Runs the collectors of expired servers while this server is the leader (`runAgreementCollectors`), until the signal is
 * aborted.
 */
export function runCollectors(
  server: Pick<StrataServer, 'handle'>,
  loopback: Loopback,
  world: World,
  signal: AbortSignal,
  collect: typeof runAgreementCollectors = runAgreementCollectors,
): Promise<void> {
  const work = {
    name: 'strata-agreement-collectors',
    failure: 'collecting expired servers failed',
    run: (client: Parameters<typeof collect>[0]['client']) => collect({ world, client, signal }),
  }
  return runAsClient(server, loopback, world, work, signal)
}
