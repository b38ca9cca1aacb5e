import {
  type FieldError,
  fieldForbidden,
  fieldManagerErrors,
  fieldManagerName,
  invalidObject,
  notSupported,
  required,
} from '@strata/api'
import { invariant } from '@strata/world'
import type { WriteOptions } from '../../registry/index.ts'
import { booleanParameter } from '../query.ts'
import type { RequestContext } from '../request-context.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'
export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'
/** An apply needs a field manager: it identifies the fields that the client owns. */
export type PatchPurpose = 'change' | 'apply'

export interface RequestedWrite extends WriteOptions {
  readonly fieldValidation: FieldValidation
  /** An apply that takes fields from other managers. */
  readonly force: boolean
}

/** Reads dry run, field manager, field validation, and force from the query. */
export function writeOptions(
  context: RequestContext,
  kind: OptionsKind,
  purpose?: PatchPurpose,
): RequestedWrite {
  const { query } = context.info
  const manager = query.get('fieldManager') ?? undefined
  const force = booleanParameter(query, 'force')
  const errors: FieldError[] = []
  if (purpose === 'apply' && !manager) errors.push(required('fieldManager', 'is required for apply patch'))
  if (purpose === 'change' && force !== undefined) {
    errors.push(fieldForbidden('force', 'may not be specified for non-apply patch'))
  }
  if (manager !== undefined) errors.push(...fieldManagerErrors(manager))
  const dryRun = query.getAll('dryRun').filter((each) => each !== '')
  if (dryRun.some((each) => each !== 'All')) {
    errors.push(notSupported('dryRun', dryRun, ['All']))
  }
  const given = query.get('fieldValidation') ?? ''
  const fieldValidation = given === '' ? 'Warn' : given
  if (!isFieldValidation(fieldValidation)) {
    errors.push(notSupported('fieldValidation', given, ['', 'Ignore', 'Strict', 'Warn']))
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors)
  const agent = context.request.headers['user-agent']
  const { info, user } = context
  invariant(user, 'a write needs an authenticated user')
  return {
    dryRun: dryRun.length > 0,
    requester: { user, verb: info.verb, name: info.target?.name ?? '', request: context },
    manager: fieldManagerName(manager, typeof agent === 'string' ? agent : undefined),
    fieldValidation: fieldValidation as FieldValidation,
    force: force === true,
  }
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === 'Ignore' || text === 'Warn' || text === 'Strict'
}
