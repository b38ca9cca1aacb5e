import {
  type ApiObject,
  type FieldPath,
  internalError,
  isJsonObject,
  type JsonObject,
  resourceAtRelease,
  type Scale,
  type ScalePaths,
  scales,
} from '@strata/api'
import { createCodec } from '../../codec/index.ts'
import type { ServedResource } from '../served/served-api.ts'

/** The Scale that clients send and receive, for every kind that can be scaled. */
export const scaleResource: ServedResource = createScaleResource()

function createScaleResource(): ServedResource {
  const release = resourceAtRelease(scales, undefined)
  if (!release) throw new TypeError('Scale has no versions')
  const definition = scales as ServedResource['definition']
  const codec = createCodec(definition, release)
  return { definition, codec, group: scales.group, versionName: 'v1', apiVersion: 'autoscaling/v1' }
}

/** The Scale of an object in the version of its path. */
export function scaleOf(resource: ServedResource, object: JsonObject): Scale {
  const paths = pathsOf(resource)
  const replicas = numberAt(object, paths.specReplicas)
  if (replicas === undefined) {
    throw internalError(`the spec replicas field ${JSON.stringify(paths.specReplicas)} does not exist`)
  }
  return scaleWith(object, paths, replicas)
}

export function pathsOf({ definition, versionName }: ServedResource): ScalePaths {
  const paths = definition.subresources?.scale?.[versionName]
  if (!paths) throw new TypeError(`${definition.kind} cannot be scaled in ${versionName}`)
  return paths
}

export function replicasPathIn({ definition }: ServedResource, apiVersion: string): FieldPath | undefined {
  const versionName = apiVersion.slice(apiVersion.indexOf('/') + 1)
  const path = definition.subresources?.scale?.[versionName]?.specReplicas
  return path === undefined ? undefined : fieldsOf(path).map((field) => `f:${field}`)
}

export function scaleWith(object: JsonObject, paths: ScalePaths, replicas: number): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = (object as ApiObject).metadata
  const selector = paths.labelSelector === undefined ? undefined : valueAt(object, paths.labelSelector)
  return {
    kind: 'Scale',
    apiVersion: scaleResource.apiVersion,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, paths.statusReplicas) ?? 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  }
}

const fieldsOf = (path: string): string[] => path.replace(/^\./, '').split('.')

function valueAt(object: JsonObject, path: string): unknown {
  let value: unknown = object
  for (const field of fieldsOf(path)) {
    value = isJsonObject(value) && Object.hasOwn(value, field) ? value[field] : undefined
  }
  return value
}

export function numberAt(object: JsonObject, path: string): number | undefined {
  const value = valueAt(object, path)
  return typeof value === 'number' ? value : undefined
}

export function setAt(object: JsonObject, path: string, value: unknown): void {
  const fields = fieldsOf(path)
  let at = object
  for (const field of fields.slice(0, -1)) {
    const below = isJsonObject(at[field]) ? at[field] : {}
    at[field] = below
    at = below
  }
  at[fields.at(-1) ?? ''] = value
}
