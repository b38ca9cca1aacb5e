import {
  badRequest,
  type FieldError,
  fieldForbidden,
  invalidObject,
  MalformedSelector,
  notSupported,
  parseFieldSelector,
  parseLabelSelector,
} from '@strata/api'
import type { Selectors } from '../../registry/index.ts'
import { booleanParameter, integerParameter } from '../query.ts'

/** The query of a list, a watch or a deletecollection, checked and not yet interpreted. */
export interface ListOptions {
  readonly selectors: Selectors
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly limit: number | undefined
  readonly continueToken: string | undefined
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  readonly timeoutSeconds: number | undefined
}

/** Refuses invalid combinations, with upstream's messages and in its order. */
export function readListOptions(query: URLSearchParams, use: 'list' | 'watch'): ListOptions {
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds')
  const limit = integerParameter(query, 'limit') ?? 0
  const options: ListOptions = {
    selectors: readSelectors(query),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: limit > 0 ? limit : undefined,
    continueToken: query.get('continue') || undefined,
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: booleanParameter(query, 'sendInitialEvents'),
    timeoutSeconds,
  }
  const errors = use === 'watch' ? watchErrors(options) : listErrors(options)
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return options
}

function readSelectors(query: URLSearchParams): Selectors {
  try {
    return {
      labels: parseLabelSelector(query.get('labelSelector') ?? ''),
      fields: parseFieldSelector(query.get('fieldSelector') ?? ''),
    }
  } catch (error) {
    if (error instanceof MalformedSelector) throw badRequest(error.message)
    throw error
  }
}

const match = 'resourceVersionMatch'
const withContinue = fieldForbidden(match, 'resourceVersionMatch is forbidden when continue is provided')

function listErrors(options: ListOptions): FieldError[] {
  const { resourceVersionMatch, resourceVersion, continueToken, sendInitialEvents } = options
  const errors: FieldError[] = []
  if (resourceVersionMatch !== '') {
    if (resourceVersion === '') {
      const detail = 'resourceVersionMatch is forbidden unless resourceVersion is provided'
      errors.push(fieldForbidden(match, detail))
    }
    if (continueToken !== undefined) errors.push(withContinue)
    if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan') {
      errors.push(notSupported(match, resourceVersionMatch, ['Exact', 'NotOlderThan', '']))
    }
    if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
      const detail = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
      errors.push(fieldForbidden(match, detail))
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors({ resourceVersionMatch, continueToken, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = []
  if (sendInitialEvents !== undefined && resourceVersionMatch !== 'NotOlderThan') {
    const detail = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
    errors.push(fieldForbidden(match, detail))
  }
  if (resourceVersionMatch !== '') {
    if (sendInitialEvents === undefined) {
      const detail = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
      errors.push(fieldForbidden(match, detail))
    }
    if (resourceVersionMatch !== 'NotOlderThan') {
      errors.push(notSupported(match, resourceVersionMatch, ['NotOlderThan']))
    }
    if (continueToken !== undefined) errors.push(withContinue)
  }
  return errors
}
