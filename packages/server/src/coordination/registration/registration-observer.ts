import type { GroupResource } from '@strata/api'

/** Told how registration goes, for those who count. Nothing waits for it, and nothing is decided on what it does. */
export interface RegistrationObserver {
  /** From now on an entry for this resource is wanted: it was defined, or defined otherwise, or the entry was taken out. */
  onAwaited(resource: GroupResource): void
  /** Somebody else changed a record while this server wanted to; it is read again. */
  onConflict(): void
  /** An entry could not be stored; it is tried again. */
  onFailure(): void
}

export const noObserver: RegistrationObserver = {
  onAwaited: () => {},
  onConflict: () => {},
  onFailure: () => {},
}
