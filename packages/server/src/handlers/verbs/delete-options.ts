import { badRequest, type FieldError, invalid, invalidObject, notSupported } from '@strata/api'
import { invariant } from '@strata/world'
import { type DeleteOptions, ignoreReadErrorField } from '../../registry/index.ts'
import { readBody } from '../body/body.ts'
import { parseBody } from '../body/parse-body.ts'
import { booleanParameter, integerParameter } from '../query.ts'
import type { RequestContext } from '../request-context.ts'

export interface RequestedDeletion extends DeleteOptions {
  /** The deprecated form of the propagation policy. It also changes the status code of the answer. */
  readonly orphanDependents: boolean | undefined
  /** Deletes an object only if it cannot be decoded, past finalizers and admission (KEP-3926). */
  readonly ignoresReadError: boolean
}

interface RawOptions {
  readonly propagationPolicy: string | undefined
  readonly orphanDependents: boolean | undefined
  readonly dryRun: readonly string[]
  readonly hasGracePeriod: boolean
  readonly ignoresReadError: boolean | undefined
  readonly preconditions?: DeleteOptions['preconditions']
}

const policies = ['Foreground', 'Background', 'Orphan'] as const

/**
 * Reads the options from the body or, without a body, from the query. As upstream, a server without the feature gate does not see
 * the option that ignores read errors.
 */
export async function readDeleteOptions(
  context: RequestContext,
  { mayIgnoreReadErrors }: { readonly mayIgnoreReadErrors: boolean },
): Promise<RequestedDeletion> {
  const body = await readBody(context)
  const given = body.length > 0 ? await fromBody(context, body) : fromQuery(context.info.query)
  const { propagationPolicy, orphanDependents, dryRun, preconditions } = given
  const errors: FieldError[] = []
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set'
    errors.push(invalid('propagationPolicy', propagationPolicy, detail))
  }
  const policy = policies.find((each) => each === propagationPolicy)
  if (propagationPolicy !== undefined && policy === undefined) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...policies, 'nil']))
  }
  if (dryRun.some((each) => each !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']))
  const ignoresReadError = mayIgnoreReadErrors && given.ignoresReadError === true
  if (ignoresReadError) errors.push(...problemsBesideReadErrors(given))
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  const old = orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background'
  const { info, user } = context
  invariant(user, 'a deletion needs an authenticated user')
  return {
    requester: { user, verb: info.verb, name: info.target?.name ?? '', request: context },
    // Upstream ignores the query's dryRun if there is a body. Here a dry run must never delete.
    dryRun: dryRun.length > 0 || context.info.query.getAll('dryRun').includes('All'),
    orphanDependents,
    propagation: policy ?? old,
    preconditions,
    ignoresReadError,
  }
}

/**
 * What upstream refuses beside it. Unlike upstream, a resourceVersion is allowed: it is the revision of the stored bytes, so a
 * client can delete just the bytes that it has saved.
 */
function problemsBesideReadErrors(given: RawOptions): FieldError[] {
  const { dryRun, propagationPolicy, orphanDependents, hasGracePeriod, preconditions } = given
  const found = [
    ...(dryRun.length > 0 ? ['dryRun'] : []),
    ...(propagationPolicy === undefined ? [] : ['propagationPolicy']),
    ...(orphanDependents === undefined ? [] : ['orphanDependents']),
    ...(hasGracePeriod ? ['gracePeriodSeconds'] : []),
    ...(preconditions?.uid === undefined ? [] : ['preconditions']),
  ]
  return found.map((each) => invalid(ignoreReadErrorField, true, `cannot be set together with .${each}`))
}

function fromQuery(query: URLSearchParams): RawOptions {
  // No kind here has a grace period, but it must be a number.
  const gracePeriod = integerParameter(query, 'gracePeriodSeconds')
  return {
    hasGracePeriod: gracePeriod !== undefined,
    ignoresReadError: booleanParameter(query, ignoreReadErrorField),
    dryRun: query.getAll('dryRun').filter((each) => each !== ''),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: booleanParameter(query, 'orphanDependents'),
  }
}

async function fromBody(context: RequestContext, body: Uint8Array): Promise<RawOptions> {
  const { readBody: _, ...request } = context.request
  const wanted = { apiVersion: 'v1', kind: 'DeleteOptions' }
  const { object } = await parseBody({ ...context, request: { ...request, body } }, wanted)
  context.audit?.noteObject(object)
  const { kind, dryRun, preconditions } = object
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest('decoded object cannot be converted to DeleteOptions')
  }
  const conditions = optional(preconditions, 'preconditions', isObject, 'v1.Preconditions') ?? {}
  const uid = optional(conditions['uid'], 'preconditions.uid', isText, 'types.UID')
  const version = optional(conditions['resourceVersion'], 'preconditions.resourceVersion', isText, 'string')
  const { propagationPolicy: policy, orphanDependents: orphan } = object
  const propagationPolicy = optional(policy, 'propagationPolicy', isText, 'v1.DeletionPropagation')
  const orphanDependents = optional(orphan, 'orphanDependents', isBoolean, 'bool')
  const gracePeriod = optional(object['gracePeriodSeconds'], 'gracePeriodSeconds', Number.isInteger, 'int64')
  const ignoresReadError = optional(object[ignoreReadErrorField], ignoreReadErrorField, isBoolean, 'bool')
  return {
    hasGracePeriod: gracePeriod !== undefined,
    ignoresReadError,
    dryRun: optional(dryRun, 'dryRun', isTexts, 'string') ?? [],
    propagationPolicy,
    orphanDependents,
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(version === undefined ? {} : { resourceVersion: version }),
    },
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function optional<T>(
  value: unknown,
  path: string,
  is: ((value: unknown) => value is T) | ((value: unknown) => boolean),
  goType: string,
): T | undefined {
  if (value === undefined || value === null) return undefined
  if (is(value)) return value as T
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  throw badRequest(
    `DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal ${found} into Go struct field DeleteOptions.${path} of type ${goType}`,
  )
}
