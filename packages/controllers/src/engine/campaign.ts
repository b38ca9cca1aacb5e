import { type LeaderElectionOptions, runAsLeader } from '@strata/client'
import type { Log } from '@strata/world'

/** Runs `lead` while this process leads, and campaigns again after losing the Lease. */
export async function campaign(
  election: LeaderElectionOptions,
  log: Log,
  lead: (term: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const end = await runAsLeader(election, lead, signal)
    const text = signal.aborted ? 'leader election stopped' : 'stopped leading; campaigning again'
    log.info(text, { lease: election.name, because: end })
  }
}
