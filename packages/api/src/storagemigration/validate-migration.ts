import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { dns1035Label, dns1123Subdomain } from '../machinery/name-rules.ts'
import { goConditions, holdsCondition, validateConditions } from '../meta/condition.ts'
import { validateProgress } from '../migration/migration-progress.ts'
import type { StorageVersionMigration } from './storage-version-migration.ts'

// Upstream's rules, in upstream's order and words (docs/reference/upstream-behaviour.md, N7).

export function validateMigration({ spec }: Pick<StorageVersionMigration, 'spec'>): FieldError[] {
  const { group = '', resource = '' } = spec?.resource ?? {}
  const problems = resource === '' ? [] : dns1035Label(resource)
  const groupProblems = group === '' ? [] : dns1123Subdomain(group)
  return [
    ...(resource === '' ? [required('spec.resource.resource', 'resource is required to be set')] : []),
    ...(problems.length > 0 ? [invalid('spec.resource.resource', resource, problems.join(','))] : []),
    ...(groupProblems.length > 0 ? [invalid('spec.resource.group', group, groupProblems.join(','))] : []),
  ]
}

export function validateMigrationUpdate(
  { spec }: Pick<StorageVersionMigration, 'spec'>,
  stored: Pick<StorageVersionMigration, 'spec'>,
): FieldError[] {
  const { group = '', resource = '' } = spec?.resource ?? {}
  const before = stored.spec?.resource ?? {}
  if (group === (before.group ?? '') && resource === (before.resource ?? '')) return []
  // Upstream quotes the Go struct, of which this field has no name in JSON.
  return [invalid('spec', { Resource: { group, resource } }, 'field is immutable')]
}

/** No leading zero, and not 0, which is no revision but a word for any. */
const revisionForm = /^[1-9][0-9]*$/

export function validateMigrationStatusUpdate(
  { status = {} }: Pick<StorageVersionMigration, 'status'>,
  stored: Pick<StorageVersionMigration, 'status'>,
): FieldError[] {
  const { resourceVersion = '', conditions = [] } = status
  const { resourceVersion: revisionBefore = '', conditions: before } = stored.status ?? {}
  const path = 'status.resourceVersion'
  const isMalformed = resourceVersion !== '' && !revisionForm.test(resourceVersion)
  const isMoved = revisionBefore !== '' && revisionBefore !== resourceVersion
  const [hasSucceeded, hasFailed] = ['Succeeded', 'Failed'].map((type) => holdsCondition(conditions, type))
  const wrong = (detail: string): FieldError => invalid('status.conditions', goConditions(conditions), detail)
  return [
    ...(isMalformed
      ? [invalid(path, resourceVersion, `resource version is not well formed: ${resourceVersion}`)]
      : []),
    ...validateConditions(conditions, 'status.conditions'),
    ...(isMoved ? [invalid(path, resourceVersion, 'field is immutable')] : []),
    ...(hasSucceeded && hasFailed
      ? [wrong('Both success and failed conditions cannot be true at the same time')]
      : []),
    ...(holdsCondition(before, 'Succeeded') && !hasSucceeded
      ? [wrong('Success condition cannot be set to false once it is true')]
      : []),
    ...(holdsCondition(before, 'Failed') && !hasFailed
      ? [wrong('Failed condition cannot be set to false once it is true')]
      : []),
    ...validateProgress(status, 'status'),
  ]
}
