import { badRequest } from '@strata/api'

const unsupported = [
  'labelSelector',
  'fieldSelector',
  'continue',
  'dryRun',
  'propagationPolicy',
  'orphanDependents',
]

/**
 * What is not supported yet is refused rather than ignored: a client that asked for some objects and is given all
 * of them may delete what it never meant to, and one that asked what would happen must not make it happen.
 */
export function refuseUnsupported(query: URLSearchParams): void {
  for (const name of unsupported) {
    if (query.get(name)) throw badRequest(`${name}: not supported by this server yet; leave it out`)
  }
  if (query.get('resourceVersionMatch') === 'Exact') {
    throw badRequest('resourceVersionMatch: Exact is not supported by this server yet; leave it out')
  }
}

/** `absent` is false; present and neither `false` nor `0` is true, as upstream reads it. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)
  return value !== null && value !== 'false' && value !== '0'
}

/** The revision in `resourceVersion`, or undefined for "" and "0". */
export function revisionParameter(query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion') ?? ''
  if (text === '' || text === '0') return undefined
  if (!/^[0-9]{1,15}$/.test(text)) throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}`)
  return Number(text)
}

export function secondsParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw badRequest(`${name}: must be a whole number of seconds`)
  return value
}
