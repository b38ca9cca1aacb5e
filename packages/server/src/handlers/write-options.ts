import {
  type FieldError,
  fieldManagerErrors,
  fieldManagerName,
  invalidObject,
  notSupported,
} from '@strata/api'
import type { WriteOptions } from '../registry/index.ts'
import type { RequestContext } from './request-context.ts'

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'
export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

export interface RequestedWrite extends WriteOptions {
  readonly fieldValidation: FieldValidation
}

/** What the query says about how to write: dry run, field manager, field validation. */
export function writeOptions(context: RequestContext, kind: OptionsKind): RequestedWrite {
  const { query } = context.info
  const errors: FieldError[] = []
  const dryRun = query.getAll('dryRun').filter((each) => each !== '')
  if (dryRun.some((each) => each !== 'All')) {
    errors.push(notSupported('dryRun', dryRun, ['All']))
  }
  const manager = query.get('fieldManager') ?? undefined
  if (manager !== undefined) errors.push(...fieldManagerErrors(manager))
  const given = query.get('fieldValidation') ?? ''
  const fieldValidation = given === '' ? 'Warn' : given
  if (!isFieldValidation(fieldValidation)) {
    errors.push(notSupported('fieldValidation', given, ['', 'Ignore', 'Strict', 'Warn']))
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors)
  const agent = context.request.headers['user-agent']
  return {
    dryRun: dryRun.length > 0,
    manager: fieldManagerName(manager, typeof agent === 'string' ? agent : undefined),
    fieldValidation: fieldValidation as FieldValidation,
  }
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === 'Ignore' || text === 'Warn' || text === 'Strict'
}
