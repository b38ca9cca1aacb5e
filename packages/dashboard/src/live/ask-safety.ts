import { isIdentityLease, type UpgradeReview } from '@strata/api'
import { type Client, isInvalid } from '@strata/client'
import { declaredQuestion, explainReview, type SafetyAnswer } from '../model/safety/safety-answer.ts'
import type { Observed } from './observed.ts'

export interface SafetyAccess {
  readonly client: Client
  readonly signal: AbortSignal
}

/**
 * Asks the server, which knows the releases of its own kinds. In the middle of an upgrade, other servers of the fleet
 * may run another one: what is observed of them now says what it reads.
 */
export async function askSafety(
  { client, signal }: SafetyAccess,
  { leases, records }: Observed,
  release: string,
): Promise<SafetyAnswer> {
  const review = async (spec: UpgradeReview['spec']): Promise<SafetyAnswer> => {
    const { status } = await client
      .resource<UpgradeReview>({
        ...{ group: 'strata.dev', versionName: 'v1alpha1', resource: 'upgradereviews' },
        kind: 'UpgradeReview',
      })
      .create({ metadata: {}, spec }, signal, { isLong: true })
    if (!status) throw new Error('the server answered without a verdict')
    return explainReview(release, status)
  }
  try {
    return await review({ release })
  } catch (error) {
    const declared = declaredQuestion(release, leases.objects.filter(isIdentityLease), records.objects)
    if (!isInvalid(error) || declared === undefined) throw error
    return review(declared)
  }
}
