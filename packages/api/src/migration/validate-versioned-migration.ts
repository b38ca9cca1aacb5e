import { duplicate, type FieldError, invalid, notSupported, required } from '../machinery/field-error.ts'
import { goTimeProblem } from '../machinery/go-time.ts'
import { dns1035Label } from '../machinery/name-rules.ts'
import { holdsCondition } from '../meta/condition.ts'
import { validateProgress } from './migration-progress.ts'
import { resourceProblems } from './validate-storage-state.ts'
import type { VersionedMigration, VersionedMigrationCondition } from './versioned-migration.ts'

export function validateVersioned({ spec }: Pick<VersionedMigration, 'spec'>): FieldError[] {
  const { group = '', version: versionName = '', resource = '' } = spec?.resource ?? {}
  return [
    ...(resource === ''
      ? [required('spec.resource.resource', 'must name the resource to migrate')]
      : resourceProblems({ group, resource }, 'spec.resource')),
    ...(versionName === ''
      ? [required('spec.resource.version', 'must name the API version that the migrator uses')]
      : dns1035Label(versionName).map((each) => invalid('spec.resource.version', versionName, each))),
  ]
}

/** Migrators keep their place in `spec.continueToken`. */
export function validateVersionedUpdate(
  { spec }: Pick<VersionedMigration, 'spec'>,
  stored: Pick<VersionedMigration, 'spec'>,
): FieldError[] {
  const [next, before] = [spec?.resource, stored.spec?.resource]
  const isSame =
    next?.resource === before?.resource &&
    next?.version === before?.version &&
    (next?.group ?? '') === (before?.group ?? '')
  return isSame ? [] : [invalid('spec.resource', next ?? null, 'field is immutable')]
}

/** A finished migration stays finished. To migrate again, create another object. */
export function validateVersionedStatus(
  { status = {} }: Pick<VersionedMigration, 'status'>,
  stored: Pick<VersionedMigration, 'status'>,
): FieldError[] {
  const { conditions = [] } = status
  const before = stored.status?.conditions
  const types = new Set<string>()
  const [hasSucceeded, hasFailed] = ['Succeeded', 'Failed'].map((type) => holdsCondition(conditions, type))
  const path = 'status.conditions'
  return [
    ...conditions.flatMap((each, index) => {
      const isRepeated = types.has(each.type)
      types.add(each.type)
      return [
        ...(isRepeated ? [duplicate(`${path}[${index}].type`, each.type)] : []),
        ...conditionProblems(each, `${path}[${index}]`),
      ]
    }),
    ...(hasSucceeded && hasFailed
      ? [invalid(path, conditions, 'Succeeded and Failed cannot both be True')]
      : []),
    ...(holdsCondition(before, 'Succeeded') && !hasSucceeded
      ? [invalid(path, conditions, 'Succeeded must stay True: create another migration to migrate again')]
      : []),
    ...(holdsCondition(before, 'Failed') && !hasFailed
      ? [invalid(path, conditions, 'Failed must stay True: create another migration to try again')]
      : []),
    ...validateProgress(status, 'status'),
  ]
}

function conditionProblems(condition: VersionedMigrationCondition, path: string): FieldError[] {
  const { type, status, lastUpdateTime } = condition
  const problem = lastUpdateTime ? goTimeProblem(lastUpdateTime, false) : undefined
  return [
    ...(type === '' ? [required(`${path}.type`)] : []),
    ...(['True', 'False', 'Unknown'].includes(status)
      ? []
      : [notSupported(`${path}.status`, status, ['False', 'True', 'Unknown'])]),
    ...(problem === undefined ? [] : [invalid(`${path}.lastUpdateTime`, lastUpdateTime, problem)]),
  ]
}
