import { ApiError } from '@strata/api'
import { isAbsence } from '@strata/client'

/** The create failed because the namespace is terminating or gone: there is nothing to do, and no reason to retry. */
export function isNamespaceGone(error: unknown, namespace: string): boolean {
  if (isAbsence(error, { group: '', resource: 'namespaces' }, namespace)) return true
  if (!(error instanceof ApiError)) return false
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false
}
