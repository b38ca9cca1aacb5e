import {
  type ApiError,
  type ApiObject,
  badRequest,
  fieldErrorText,
  invalid,
  invalidObject,
  isJsonObject,
  metadataProblem,
  pruneMetadata,
} from '@strata/api'
import type { ServedResource } from '../../registry/index.ts'

/**
 * Decodes a parsed custom resource: its metadata like that of every kind, the rest as its schema prunes it. Its values are
 * validated later, after mutating admission.
 */
export function decodeCustom(
  object: Record<string, unknown>,
  { definition, codec, apiVersion }: ServedResource,
  onProblem: (problem: string) => void,
  refuse: (why: string) => ApiError,
): ApiObject {
  const onUnknown = (path: string): void => onProblem(`unknown field ${JSON.stringify(path)}`)
  const problem = metadataProblem(object['metadata'])
  if (problem !== undefined) throw refuse(problem)
  const decoded = object as ApiObject
  decoded.metadata = isJsonObject(object['metadata'])
    ? (pruneMetadata(object['metadata'], 'metadata', onUnknown) as ApiObject['metadata'])
    : {}
  decoded.apiVersion = apiVersion
  decoded.kind = definition.kind
  const misfit = codec.cut?.(decoded, apiVersion, onUnknown)
  if (misfit) throw refuse(fieldErrorText(misfit))
  codec.applyDefaults(decoded, apiVersion)
  return decoded
}

/** The kind and apiVersion of the body are required, and must match the path. */
export function checkCustomKind(
  object: Record<string, unknown>,
  { definition, apiVersion }: ServedResource,
): void {
  const { kind, apiVersion: foundVersion } = object
  if (typeof kind !== 'string' || kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): Object 'Kind' is missing in '${JSON.stringify(object)}'`,
    )
  }
  if (foundVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(foundVersion ?? '')}) does not match the expected API version (${apiVersion})`,
    )
  }
  if (kind === definition.kind) return
  const { metadata } = object
  const name = isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''
  throw invalidObject({ ...definition, kind }, name, [invalid('kind', kind, `must be ${definition.kind}`)])
}
