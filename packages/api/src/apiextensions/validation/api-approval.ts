import { parseGoUrl } from '../../machinery/go-url.ts'
import { conditionOf, type FoundCondition, isSameCondition, withCondition } from '../conditions.ts'
import {
  approvedAnnotation,
  type CustomResourceDefinition,
  type CustomResourceDefinitionStatus,
} from '../custom-resource-definition.ts'

/** Groups that belong to the Kubernetes community, and need its approval. */
export function isProtectedGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group)
}

export type ApprovalState = 'approved' | 'bypassed' | 'missing' | 'invalid'

export interface Approval {
  readonly state: ApprovalState
  readonly reason: string
}

const more = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Parses the annotation: the URL of the approval, or why there is none. */
export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const said = annotations?.[approvedAnnotation] ?? ''
  const must = `protected groups must have approval annotation "${approvedAnnotation}"`
  if (said === '') return { state: 'missing', reason: `${must}, ${more}` }
  if (said.startsWith('unapproved')) {
    return { state: 'bypassed', reason: `not approved: ${JSON.stringify(said)}` }
  }
  if (isUrl(said)) return { state: 'approved', reason: `approved in ${said}` }
  return {
    state: 'invalid',
    reason: `${must} with either a URL or a reason starting with "unapproved", ${more}`,
  }
}

function isUrl(said: string): boolean {
  const url = parseGoUrl(said)
  return !('problem' in url) && url.scheme !== '' && url.host !== ''
}

const conditions: Readonly<Record<ApprovalState, Pick<FoundCondition, 'status' | 'reason'>>> = {
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
  bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
  missing: { status: 'False', reason: 'MissingAnnotation' },
  invalid: { status: 'False', reason: 'InvalidAnnotation' },
}

/** The status with the approval condition of a CRD in a protected group; undefined if nothing changes. */
export function decideApproval(
  definition: CustomResourceDefinition,
  now: string,
): CustomResourceDefinitionStatus | undefined {
  if (!isProtectedGroup(definition.spec.group)) return undefined
  const { state, reason: message } = approvalOf(definition.metadata.annotations)
  const { status, reason } = conditions[state]
  const type = 'KubernetesAPIApprovalPolicyConformant'
  const found: FoundCondition = { type, status, reason: reason ?? '', message }
  if (isSameCondition(found, conditionOf(definition, type))) return undefined
  return withCondition(definition.status, found, now)
}
