import type { GroupResource, MigrationProgress, MigrationResult as MigrationResultWord } from '@strata/api'
import type { Refusal } from '../pass/classify-error.ts'
import type { MigrationTarget } from '../target/target.ts'
import type { Proof } from './decide-result.ts'
import type { LedgerState } from './ledger.ts'
import type { ProgressReport } from './progress-reporter.ts'
import type { ResumePoint } from './resume-point.ts'
import { emptyTally, type Tally } from './tally.ts'

/** The part of a resume point that other status fields do not hold. Only the migrator reads it. */
interface Token extends Omit<LedgerState, 'quarantine'> {
  readonly finished: readonly Tally[]
  readonly quarantined: number
  readonly byServers?: true | undefined
}

/** A progress report as status fields, from which the migration can resume. */
export function statusOfReport({ progress, quarantine, resume }: ProgressReport): MigrationProgress {
  const { resource: _, ...target } = resume.target
  const { quarantine: settled, ...ledger } = resume.ledger
  const { finished, byServers } = resume
  const token: Token = { finished, ...ledger, quarantined: settled.total, byServers }
  const { total, migrated, alreadyCurrent, quarantined, percent, ratePerSecond, etaSeconds } = progress
  return {
    ...(target.epoch === undefined ? {} : { epoch: target.epoch }),
    target,
    ...(total === undefined ? {} : { total }),
    ...{ migrated, alreadyCurrent, quarantined, ratePerSecond },
    ...(quarantine.objects.length === 0 ? {} : { quarantine: quarantine.objects }),
    ...(percent === undefined ? {} : { percent }),
    ...(etaSeconds === undefined ? {} : { etaSeconds }),
    continueToken: JSON.stringify(token),
  }
}

/**
 * Where a migration with this status resumes. Undefined without a token of this migrator: it is not known which objects
 * another migrator rewrote, so the migration starts again.
 */
export function resumeOfStatus(resource: GroupResource, status: MigrationProgress): ResumePoint | undefined {
  const token = tokenIn(status.continueToken)
  const target = targetOfStatus(resource, status)
  if (token === undefined || target === undefined) return undefined
  const { finished, quarantined, byServers, ...saved } = token
  // A token of an earlier release lacks newer counters.
  const whole = (each: Tally): Tally => ({ ...emptyTally, ...each })
  const ledger: LedgerState = {
    ...saved,
    tally: whole(saved.tally),
    // Objects of unfinished pages come after the others, and will be visited again.
    quarantine: { total: quarantined, objects: quarantinedIn(status).slice(0, quarantined) },
  }
  return {
    target,
    finished: finished.map(whole),
    ledger,
    ...(status.total === undefined ? {} : { total: status.total }),
    ...(byServers ? { byServers } : {}),
  }
}

/** The target in a status; undefined if there is none, for example because another migrator wrote the status. */
export const targetOfStatus = (
  resource: GroupResource,
  { target }: MigrationProgress,
): MigrationTarget | undefined => target && { ...target, fenced: target.fenced ?? false, resource }

export const resultWords: Readonly<Record<Proof, MigrationResultWord>> = {
  proven: 'Proven',
  'observed clean': 'ObservedClean',
  unknown: 'Unknown',
}

const proofs = { Proven: 'proven', ObservedClean: 'observed clean', Unknown: 'unknown' } as const

/** No result, or one of another migrator, proves nothing. */
export const proofOf = (result: MigrationResultWord | undefined): Proof =>
  (result && proofs[result]) ?? 'unknown'

function quarantinedIn({
  quarantine = [],
}: MigrationProgress): ResumePoint['ledger']['quarantine']['objects'] {
  return quarantine.map(({ message = '', ...each }) => ({ ...each, message, reason: each.reason as Refusal }))
}

function tokenIn(text: string | undefined): Token | undefined {
  try {
    const value: Partial<Token> | null = JSON.parse(text ?? '')
    const isToken =
      Array.isArray(value?.finished) &&
      typeof value.tally?.migrated === 'number' &&
      typeof value.quarantined === 'number'
    return isToken ? (value as Token) : undefined
  } catch {
    return undefined
  }
}
