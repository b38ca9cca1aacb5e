import {
  type ApiError,
  type ApiObject,
  badRequest,
  dropEmpty,
  goDecodeProblem,
  invalid,
  invalidObject,
  isJsonObject,
  objectMetaSchema,
  prune,
} from '@strata/api'
import type { ServedResource } from '../registry/index.ts'

/**
 * Of a parsed object of a custom resource: its metadata is decoded as that of every kind, the rest is what its schema
 * lets stand. Whether its values fit is looked at later, when admission is through with it.
 */
export function decodeCustom(
  object: Record<string, unknown>,
  { definition, codec, apiVersion }: ServedResource,
  onProblem: (problem: string) => void,
  refuse: (why: string) => ApiError,
): ApiObject {
  const metadata = decodeMetadata(object['metadata'], onProblem, refuse)
  const decoded = object as ApiObject
  decoded.metadata = metadata
  decoded.apiVersion = apiVersion
  decoded.kind = definition.kind
  codec.prune(decoded, apiVersion, (path) => onProblem(`unknown field ${JSON.stringify(path)}`))
  codec.applyDefaults(decoded, apiVersion)
  return decoded
}

function decodeMetadata(
  metadata: unknown,
  onProblem: (problem: string) => void,
  refuse: (why: string) => ApiError,
): ApiObject['metadata'] {
  if (metadata === undefined || metadata === null) return {}
  const misfit = isJsonObject(metadata)
    ? goDecodeProblem(metadata, objectMetaSchema, 'ObjectMeta')
    : 'json: cannot unmarshal into Go value of type v1.ObjectMeta'
  if (misfit !== undefined) throw refuse(misfit)
  const known = prune(metadata, objectMetaSchema, (path) =>
    onProblem(`unknown field ${JSON.stringify(`metadata.${path}`)}`),
  )
  return dropEmpty(known as Record<string, unknown>, objectMetaSchema) as ApiObject['metadata']
}

/** What a body says of itself must be what the path takes; nothing of it may be left out. */
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
