import type { ProcessMark } from '@strata/world'

/**
 * The process that works on a migration: the runner, or a `strata migrate`. Each write of it names the resourceVersion, so
 * that of two processes that claim the same object one is refused.
 */
export const claimAnnotation = 'strata.dev/claimed-by'
/** A command renews it every few seconds. Others compare it with its last value, never with a clock. */
export const claimRenewedAnnotation = 'strata.dev/claim-renewed'

export interface Claim extends ProcessMark {
  /** `unknown`: the claim cannot be read. */
  readonly by: 'runner' | 'command' | 'unknown'
  /** Unique to this run of a command, or term of a leader. */
  readonly id: string
  readonly hostname: string
}

export type Annotations = Readonly<Record<string, string>>

/** Undefined without a claim. A claim that cannot be read counts as one of another process. */
export function claimIn(annotations: Annotations | undefined): Claim | undefined {
  const text = annotations?.[claimAnnotation]
  if (text === undefined || text === '') return undefined
  const unread: Claim = { by: 'unknown', id: text, hostname: '', bootId: '', pid: 0, startTicks: '' }
  try {
    const { by = unread.by, id = text, ...more }: Partial<Claim> = JSON.parse(text)
    const { hostname = '', bootId = '', pid = 0, startTicks = '' } = more
    return { by, id, hostname, bootId, pid, startTicks }
  } catch {
    return unread
  }
}

export const claimText = ({ by, id, hostname, bootId, pid, startTicks }: Claim): string =>
  JSON.stringify({ by, id, hostname, bootId, pid, startTicks })

/** Removes a claim. The empty value shows that Strata had it: without it, the object would count as another migrator's. */
export const releasingAnnotations: Readonly<Record<string, string | null>> = {
  [claimAnnotation]: '',
  [claimRenewedAnnotation]: null,
}

/** Whether a process of Strata has ever claimed it. */
export const wasClaimed = (annotations: Annotations | undefined): boolean =>
  annotations?.[claimAnnotation] !== undefined
