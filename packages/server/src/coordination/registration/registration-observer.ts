import type { GroupResource } from '@strata/api'

/** Counts registrations for metrics. It decides nothing. */
export interface RegistrationObserver {
  /** An entry for this resource is needed: its CRD is new or has changed, or the entry was removed. */
  onAwaited(resource: GroupResource): void
  /** Another server changed a record first; it is read again. */
  onConflict(): void
  /** An entry could not be stored; it is retried. */
  onFailure(): void
}

export const noObserver: RegistrationObserver = {
  onAwaited: () => {},
  onConflict: () => {},
  onFailure: () => {},
}
