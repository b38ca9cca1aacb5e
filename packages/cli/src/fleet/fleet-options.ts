import type { SharedFlags } from '../commands/serve-flags.ts'

/** Where commands look for a running fleet, too. */
export const defaultDataDir = '.strata/local'

/** What `strata up` was asked for. */
export interface FleetOptions extends SharedFlags {
  readonly servers: number
  readonly dataDir: string
  readonly port: number
  /** A given port is refused if it is taken; the default moves to the next free one. */
  readonly isPortGiven: boolean
  readonly fresh: boolean
  /** With `fresh`: ask nothing. */
  readonly yes: boolean
  readonly dashboardPort: number
  /** As with `isPortGiven`. */
  readonly isDashboardPortGiven: boolean
  readonly identityLeaseDurationSeconds: number | undefined
  readonly identityLeaseRenewIntervalSeconds: number | undefined
}
