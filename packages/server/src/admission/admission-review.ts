import { type ApiObject, isJsonObject, type JsonObject, jsonTypeName, userInfoOf } from '@strata/api'
import type { AdmissionRequest, AdmittedResource } from './request.ts'

const known = ['v1', 'v1beta1'] as const
export type ReviewVersion = (typeof known)[number]

/** The first version that the webhook understands and this server can send. */
export function chooseReviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  for (const each of understood) {
    const found = known.find((other) => other === each)
    if (found) return found
  }
  return undefined
}

/** A request as one webhook sees it. */
export interface Invocation {
  readonly request: AdmissionRequest
  /** The resource for the webhook: in another version than the request's, if its rules ask for that. */
  readonly target: AdmittedResource
  /** In the version of the target. */
  readonly object: ApiObject | undefined
  readonly oldObject: ApiObject | undefined
}

export function admissionReview(
  reviewVersion: ReviewVersion,
  uid: string,
  invocation: Invocation,
): JsonObject {
  const { object, oldObject } = invocation
  const { dryRun, options, ...request } = requestOf(invocation)
  const seenAs = kindShown(invocation)
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${reviewVersion}`,
    request: {
      uid,
      ...request,
      object: object ? named(object, seenAs) : null,
      oldObject: oldObject ? named(oldObject, seenAs) : null,
      dryRun,
      options,
    },
  }
}

/** The request attributes for a webhook and its match conditions, without the objects. */
export function requestOf(invocation: Invocation): JsonObject {
  const { request, target } = invocation
  const { subresource, name, namespace, operation, user, dryRun, options, resource, shown } = request
  const isOther = shown.definition !== resource.definition
  return {
    kind: kindOf(kindShown(invocation)),
    resource: resourceOf(target),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindOf(isOther ? shown : resource),
    requestResource: resourceOf(resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfoOf(user),
    dryRun,
    options,
  }
}

/** The kind of the objects: that of a subresource is the same in every version. */
function kindShown({ request: { shown, resource }, target }: Invocation): AdmittedResource {
  return shown.definition === resource.definition ? target : shown
}

function kindOf({ group, versionName, definition }: AdmittedResource): JsonObject {
  return { group, version: versionName, kind: definition.kind }
}

function resourceOf({ group, versionName, definition }: AdmittedResource): JsonObject {
  return { group, version: versionName, resource: definition.resource }
}

/** Adds apiVersion and kind: internal objects may lack them. */
function named(object: ApiObject, { apiVersion, definition }: AdmittedResource): JsonObject {
  const { kind: _, apiVersion: __, ...rest } = object
  return { kind: definition.kind, apiVersion, ...rest }
}

export interface HookAnswer {
  readonly allowed: boolean
  /** JSON, as it was sent. */
  readonly patch: string | undefined
  readonly patchType: string
  readonly warnings: readonly string[]
  readonly auditAnnotations: Readonly<Record<string, string>>
  readonly result: JsonObject | undefined
}

/** The response is not a valid review. `isDecoded`: it could be parsed, but breaks the contract. */
export class ReviewProblem extends Error {
  override readonly name = 'ReviewProblem'
  readonly isDecoded: boolean
  constructor(message: string, isDecoded: boolean) {
    super(message)
    this.isDecoded = isDecoded
  }
}

export function readAnswer(
  review: Readonly<Record<string, unknown>>,
  reviewVersion: ReviewVersion,
  uid: string,
  isMutating: boolean,
): HookAnswer {
  const broken = (message: string) => new ReviewProblem(message, true)
  const response = review['response'] ?? undefined
  if (response === undefined) throw broken('webhook response was absent')
  const answer = decodeResponse(response, reviewVersion)
  const { patchType } = answer
  // v1beta1 has none of these requirements.
  if (reviewVersion === 'v1beta1') {
    const patch = isMutating ? answer.patch : undefined
    return { ...answer, patch, patchType: 'JSONPatch' }
  }
  const { uid: echoed } = response as JsonObject
  if (echoed !== uid) {
    throw broken(`expected response.uid=${quoted(uid)}, got ${quoted(echoed ?? '')}`)
  }
  const wanted = 'admission.k8s.io/v1, Kind=AdmissionReview'
  const got = `${textOf(review['apiVersion']) || '/'}, Kind=${textOf(review['kind'])}`
  if (got !== wanted) throw broken(`expected webhook response of ${wanted}, got ${got}`)
  if (!isMutating) {
    if (answer.patch) throw broken('validating webhook may not return response.patch')
    if (patchType !== undefined) throw broken('validating webhook may not return response.patchType')
  } else if (answer.patch && patchType === undefined) {
    throw broken('webhook returned response.patch but not response.patchType')
  } else if (!answer.patch && patchType !== undefined) {
    throw broken('webhook returned response.patchType but not response.patch')
  } else if (patchType === '') {
    throw broken('webhook returned invalid response.patchType of ""')
  }
  return { ...answer, patchType: patchType ?? '' }
}

const quoted = (value: unknown): string => JSON.stringify(textOf(value))
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function decodeResponse(
  response: unknown,
  reviewVersion: ReviewVersion,
): Omit<HookAnswer, 'patchType'> & { readonly patchType: string | undefined } {
  const misfit = (field: string, found: unknown, type: string) =>
    new ReviewProblem(
      `json: cannot unmarshal ${jsonTypeName(found)} into Go struct field ${field} of type ${type}`,
      false,
    )
  if (!isJsonObject(response)) {
    throw misfit('AdmissionReview.response', response, `${reviewVersion}.AdmissionResponse`)
  }
  const at = (field: string): string => `AdmissionResponse.response.${field}`
  const { allowed = false, patch, patchType, warnings, auditAnnotations, status } = response
  if (allowed !== null && typeof allowed !== 'boolean') throw misfit(at('allowed'), allowed, 'bool')
  const text = (field: string, value: unknown): string | undefined => {
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') throw misfit(at(field), value, 'string')
    return value
  }
  const warned = warnings ?? []
  if (!Array.isArray(warned)) throw misfit(at('warnings'), warned, '[]string')
  const annotations = auditAnnotations ?? {}
  if (!isJsonObject(annotations)) {
    throw misfit(at('auditAnnotations'), annotations, 'map[string]string')
  }
  if (status !== undefined && status !== null && !isJsonObject(status)) {
    throw misfit(at('status'), status, 'v1.Status')
  }
  const type = text('patchType', patchType)
  return {
    allowed: allowed === true,
    patch: decodePatch(text('patch', patch)),
    patchType: type,
    warnings: warned.map((each) => text('warnings', each) ?? ''),
    auditAnnotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [key, text('auditAnnotations', value) ?? '']),
    ),
    result: isJsonObject(status) ? status : undefined,
  }
}

function decodePatch(base64: string | undefined): string | undefined {
  if (base64 === undefined || base64 === '') return undefined
  const text = base64.replace(/[\r\n]/g, '')
  const wrong = /[^A-Za-z0-9+/]/.exec(text.replace(/={1,2}$/, ''))
  if (wrong || text.length % 4 !== 0) {
    throw new ReviewProblem(`illegal base64 data at input byte ${wrong?.index ?? text.length}`, false)
  }
  return Buffer.from(text, 'base64').toString('utf8')
}
