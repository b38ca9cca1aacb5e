import {
  type AgreementStatus,
  ApiError,
  apiVersionOf,
  notFoundPath,
  originsAnnotation,
  type StorageAgreement,
  storageVersions,
} from '@strata/api'
import { type Client, createClient } from '@strata/client'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'

const group = 'shop.example.dev'
export const things = { group, resource: 'things' } as const

/** An aggregator and the aggregated servers behind it, as far as a client sees whose record counts. */
export class AggregatedCluster {
  readonly asked: string[] = []
  readonly client: Client
  /** The versions that the aggregated servers serve, and the uid of the record in each. */
  versions: Readonly<Record<string, string>> = { v1: 'r' }
  /** What is agreed there; undefined: they do not agree. */
  agreed: string | undefined = 'v2'
  /** What the mirror in the aggregator says is agreed; undefined: there is none. */
  mirrored: string | undefined
  mirroredUIDs: readonly string[] = ['r']
  /** Whether the aggregated servers list records in their group. */
  hasRecords = true
  /** Whether the aggregator is a Strata server with a record of its own, in the way of a CRD that was deleted. */
  ownRecord: 'none' | 'unused' | 'used' = 'none'
  /** Whether the aggregator also has a CRD of that name. */
  hasCrd = false
  hasApiService = false
  /** Whether discovery of the aggregator has StorageVersions. */
  listsStorageVersions = false
  /** The answer of the aggregator to a path, in place of the ordinary one. */
  fault: (path: string) => ApiError | undefined = () => undefined

  constructor() {
    this.client = createClient({ transport: (request) => this.#answer(request) })
  }

  /** The aggregated servers cannot be reached: 503 of the aggregator, and their discovery fails too. */
  unreachable(): void {
    this.fault = (path) =>
      path.startsWith(`/apis/${group}/`) ? new ApiError(503, 'ServiceUnavailable', 'away') : undefined
  }

  async #answer({ target }: HttpRequest): Promise<HttpResponse> {
    const [path = ''] = target.split('?')
    this.asked.push(path)
    try {
      const fault = this.fault(path)
      if (fault) throw fault
      return json(200, this.#serve(path))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return json(error.code, error.status)
    }
  }

  #serve(path: string): unknown {
    const names = Object.keys(this.versions)
    if (path === '/api') return { kind: 'APIVersions', versions: [] }
    const one = { name: group, versions: names.map((version) => ({ version })) }
    if (path === '/apis') return { kind: 'APIGroupList', groups: [one] }
    if (path === `/apis/${group}`) return one
    if (this.listsStorageVersions && path === `/apis/${storageVersions.group}`)
      return { name: storageVersions.group, versions: [{ version: 'v1alpha1' }] }
    if (this.listsStorageVersions && path === `/apis/${storageVersions.group}/v1alpha1`)
      return {
        resources: [{ name: 'storageversions', kind: 'StorageVersion', namespaced: false, verbs: ['get'] }],
      }
    const name = `${group}.things`
    for (const version of names) {
      const base = `/apis/${group}/${version}`
      if (path === base) return { resources: this.#resources() }
      if (path === `${base}/storageagreements/${name}` && this.hasRecords) {
        return this.record(this.versions[version])
      }
    }
    if (path === `/apis/strata.dev/v1alpha1/storageagreements/${name}` && this.ownRecord !== 'none') {
      return this.record('own', 'v1', this.ownRecord === 'used')
    }
    if (path.endsWith(`/storageversions/${name}`) && this.mirrored !== undefined) return this.#mirror()
    if (path.endsWith(`/customresourcedefinitions/things.${group}`) && this.hasCrd) {
      return {
        metadata: { name: `things.${group}`, uid: 'u', generation: 2 },
        spec: { group, versions: [{ name: 'v1', served: true, storage: true }] },
        status: { conditions: [{ type: 'Established', status: 'True' }] },
      }
    }
    if (path.endsWith('/apiservices') && this.hasApiService) {
      const service = { namespace: 'shop', name: 'api' }
      const spec = { group, version: 'v1', service }
      return { metadata: {}, items: [{ metadata: { name: `v1.${group}` }, spec }] }
    }
    if (path.endsWith('/leases')) return { metadata: {}, items: [] }
    throw notFoundPath()
  }

  #resources(): unknown {
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch']
    const kind = { group: 'strata.dev', version: 'v1alpha1', namespaced: false }
    return [
      { name: 'things', kind: 'Thing', namespaced: true, verbs, storageVersionHash: 'h' },
      ...(this.hasRecords
        ? [{ ...kind, name: 'storageagreements', kind: 'StorageAgreement', verbs: ['get', 'list', 'watch'] }]
        : []),
    ]
  }

  record(uid: string | undefined, agreed = this.agreed, isUsed = true): StorageAgreement {
    const encodingVersion = apiVersionOf(group, agreed ?? 'v1')
    const holds = agreed === undefined ? 'False' : 'True'
    const conditions = (['AllEncodingVersionsEqual', 'AllServersReported', 'Fenced'] as const).map(
      (type) => ({
        ...{ type, status: holds, reason: 'R', lastTransitionTime: '2026-01-01T00:00:00Z' },
        message: agreed === undefined ? 'they write v1 and v2' : '',
      }),
    ) as AgreementStatus['conditions']
    const entry = { serverID: 'apiserver-a', encodingVersion, decodableVersions: [encodingVersion] }
    return {
      metadata: { name: `${group}.things`, ...(uid ? { uid } : {}), resourceVersion: '70' },
      spec: things,
      status: {
        ...{ epoch: 3, encodings: [`${encodingVersion} identity f strict`], conditions },
        ...(agreed === undefined ? {} : { agreedVersion: encodingVersion }),
        servers: isUsed ? [entry] : [],
      },
    } as unknown as StorageAgreement
  }

  #mirror(): unknown {
    const encodingVersion = apiVersionOf(group, this.mirrored ?? '')
    const origins = this.mirroredUIDs.map((recordUID) => ({
      ...{ origin: `of-${recordUID}`, recordUID, epoch: 3, resourceVersion: '70' },
    }))
    return {
      metadata: {
        ...{ name: `${group}.things`, resourceVersion: '9' },
        annotations: { [originsAnnotation]: JSON.stringify(origins) },
      },
      spec: {},
      status: {
        commonEncodingVersion: encodingVersion,
        storageVersions: [{ apiServerID: 'aggregated-apiserver-a', encodingVersion, decodableVersions: [] }],
      },
    }
  }
}

function json(status: number, body: unknown): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: utf8.encode(JSON.stringify(body)) }
}
