import { ApiError } from '@strata/api'
import { isAbsence } from '@strata/client'

/** Nothing can be made in this namespace any more: there is nothing left to do, and nothing to try again. */
export function isNamespaceGone(error: unknown, namespace: string): boolean {
  if (isAbsence(error, { group: '', resource: 'namespaces' }, namespace)) return true
  if (!(error instanceof ApiError)) return false
  return error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false
}
