import {
  type ApiObject,
  apiVersionOf,
  type ResourceDefinition,
  type Schema,
  type StructuralSchema,
} from '@strata/api'
import { parseStored, UndecodableObject } from './codec.ts'
import type { Converter } from './converter.ts'
import { apiVersionIn, headOf } from './stored-bytes.ts'

export interface CustomVersion {
  readonly versionName: string
  readonly isServed: boolean
  /** Includes the fields of every object, for field management. */
  readonly schema: Schema
  readonly structural: Pick<StructuralSchema, 'prune' | 'applyDefaults' | 'dropMisfits' | 'misfit'>
}

export interface CustomKind {
  readonly definition: ResourceDefinition
  readonly versions: readonly CustomVersion[]
  readonly storageVersionName: string
  readonly converter: Converter
}

/** A version of a custom resource with what encoding needs. */
export interface EncodingVersion extends CustomVersion {
  readonly kind: string
  readonly apiVersion: string
  readonly head: Buffer
}

/** The versions of a custom resource, and stored objects as those versions read them. */
export class CustomVersions {
  readonly all: readonly EncodingVersion[]
  readonly #definition: ResourceDefinition
  readonly #name: string
  readonly #byApiVersion: ReadonlyMap<string, EncodingVersion>
  readonly #hasDefaults = new Map<string, boolean>()

  constructor({ definition, versions }: CustomKind) {
    const { group, kind, resource } = definition
    this.#definition = definition
    this.#name = `${resource}.${group}`
    this.all = versions.map((version) => {
      const apiVersion = apiVersionOf(group, version.versionName)
      return { ...version, kind, apiVersion, head: headOf({ kind, apiVersion }) }
    })
    this.#byApiVersion = new Map(this.all.map((each) => [each.apiVersion, each]))
  }

  has(apiVersion: string): boolean {
    return this.#byApiVersion.has(apiVersion)
  }

  /** Throws if the CRD has no such version; `object` names the object that needs it. */
  of(apiVersion: string, object?: ApiObject): EncodingVersion {
    const version = this.#byApiVersion.get(apiVersion)
    if (version) return version
    throw new UndecodableObject(
      `${this.#name}${nameOf(object)}`,
      apiVersion,
      [...this.#byApiVersion.keys()],
      repair(this.#name, apiVersion),
    )
  }

  /** As upstream: a stored object is pruned and defaulted by the schema of its stored version. */
  read(stored: Uint8Array): ApiObject {
    const object = parseStored(stored, this.#name) as ApiObject
    const { structural, apiVersion, kind } = this.of(apiVersionIn(object), object)
    object.apiVersion = apiVersion
    object.kind = kind
    structural.prune(object)
    structural.dropMisfits(object)
    structural.applyDefaults(object)
    return object
  }

  /** Most schemas have no defaults, and then there is nothing to compare. */
  mayDefault({ apiVersion, versionName }: EncodingVersion): boolean {
    const { schema } = this.#definition.versions[versionName] ?? {}
    const known = this.#hasDefaults.get(apiVersion) ?? JSON.stringify(schema ?? {}).includes('"default":')
    this.#hasDefaults.set(apiVersion, known)
    return known
  }
}

function nameOf(object: ApiObject | undefined): string {
  if (!object) return ''
  const { namespace, name } = object.metadata ?? {}
  return ` "${namespace === undefined ? '' : `${namespace}/`}${name}"`
}

function repair(crdName: string, apiVersion: string): string {
  const versionName = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return `nothing is lost: add ${versionName} to spec.versions of CustomResourceDefinition ${crdName} again (served: false is enough), then it can be read and migrated`
}
