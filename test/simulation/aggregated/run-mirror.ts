import { createClient } from '@strata/client'
import { runOriginMirror } from '@strata/controllers'
import type { Transport } from '@strata/world'
import { adminToken } from '../../support/fleet.ts'
import { aggregatedGroup } from '../keys.ts'
import type { Member } from '../world/fleet.ts'

/** As quick as a world of minutes needs it. */
const leaderElection = { leaseDurationMs: 8_000, renewDeadlineMs: 5_000, retryPeriodMs: 1_000 }

/** As `strata serve --aggregated` does: a client of itself, and one of the aggregator. */
export function runMirror({ process, server, collecting }: Member, aggregator: Transport): void {
  const { clock } = process
  const clientBy = (transport: Transport) =>
    createClient({ transport, token: adminToken, answerLimit: { clock, answerMs: 30_000 } })
  const isMirrored = ({ group }: { readonly group: string }): boolean => group === aggregatedGroup
  process.deliver(0, 'mirror', () => {
    void runOriginMirror(
      {
        ...{ world: process, isMirrored, leaderElection },
        ...{ client: clientBy(server.handle), aggregator: clientBy(aggregator) },
      },
      collecting.signal,
    )
  })
}
