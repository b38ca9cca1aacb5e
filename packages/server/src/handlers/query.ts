import { ApiError, badRequest } from '@strata/api'
import { type AskedRevision, boundedInteger, parseResourceVersion, shortened } from '../registry/index.ts'

/** Undefined if absent. Any value but `false` and `0` is true, as upstream. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : value.toLowerCase() !== 'false' && value !== '0'
}

/** An integer as Go parses it, with Go's error. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const problem = /^[-+]?[0-9]+$/.test(text) ? rangeProblem(text, 63n) : 'invalid syntax'
  if (problem) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(shortened(text))}: ${problem}`)
  return Number(text)
}

/** A resourceVersion other than "" and "0", as a revision. `refuse` makes the error of the verb. */
export function revisionOf(text: string, refuse: (problem: string) => ApiError): AskedRevision {
  const read = parseResourceVersion(text)
  if (typeof read !== 'object') return read
  throw refuse(`resourceVersion: Invalid value: ${JSON.stringify(shortened(text))}: ${read.problem}`)
}

function rangeProblem(text: string, bits: bigint): string | undefined {
  const value = boundedInteger(text)
  return value === undefined || value < -(1n << bits) || value >= 1n << bits
    ? 'value out of range'
    : undefined
}

/** Upstream passes this error on from its storage without a code: clients see a 500 without a reason. */
export const unexpected = (problem: string): ApiError => new ApiError(500, '', problem)
