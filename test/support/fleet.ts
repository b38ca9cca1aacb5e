import type { ResourceDefinition } from '@strata/api'
import {
  type AuthorizationMode,
  coordinationDefaults,
  createServer,
  defaultFeatureGates,
  type FeatureGates,
  type ProtocolRules,
  type ServerOptions,
  type StrataServer,
  serverId,
} from '@strata/server'
import type { Store } from '@strata/server/store'
import { type HttpRequest, readAll, type Transport, utf8, type World } from '@strata/world'
import { resources } from '../../examples/lighthouse/resources.ts'

const lighthouse = resources as unknown as readonly ResourceDefinition[]

export const adminToken = 'admin-token'

export interface FleetServerOptions {
  /** Besides those of the lighthouse. */
  readonly resources?: readonly ResourceDefinition[]
  /** False: other servers serve them, or this one serves other kinds. Defaults to true. */
  readonly hasLighthouse?: boolean
  /** Each that a server has is agreed on when it starts: dozens of commits that are all alike. */
  readonly builtInResources?: readonly ResourceDefinition[]
  readonly world: World
  readonly store: Store
  readonly instance: string
  readonly release?: string
  readonly rules?: ProtocolRules
  readonly leaseDurationSeconds?: number
  readonly renewIntervalSeconds?: number
  readonly expectedServers?: number
  readonly form?: 'report' | 'vote'
  readonly guarantee?: 'strict' | 'loose'
  readonly eventTtlMs?: number
  readonly agreementEvents?: boolean
  readonly audit?: ServerOptions['audit']
  readonly dashboard?: ServerOptions['dashboard']
  /** The default roles: over a hundred writes that most tests have no use for. */
  readonly bootstrapPolicy?: boolean
  /** One APIService for every version: twenty writes that most tests have no use for. */
  readonly apiServices?: boolean
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** Users by their tokens, besides the administrator. */
  readonly users?: ReadonlyMap<string, { readonly name: string; readonly groups: readonly string[] }>
  readonly serviceAccountTokens?: ServerOptions['serviceAccountTokens']
  readonly webhooks?: ServerOptions['webhooks']
  readonly aggregation?: ServerOptions['aggregation']
  readonly aggregated?: ServerOptions['aggregated']
  readonly requestHeader?: ServerOptions['requestHeader']
  readonly clientTrust?: ServerOptions['clientTrust']
  readonly conversions?: ServerOptions['conversions']
  readonly featureGates?: Partial<FeatureGates> | undefined
  readonly runtimeConfig?: string | undefined
  readonly traceWriters?: boolean
  readonly allowUndecodableStorage?: readonly string[]
  readonly encryption?: ServerOptions['encryption']
  readonly encryptionNews?: ServerOptions['encryptionNews']
}

/** A server with the example kind, without a socket. */
export function createFleetServer(options: FleetServerOptions): StrataServer {
  const { world, store, release, rules } = options
  return createServer({
    world,
    store,
    resources: [...(options.hasLighthouse === false ? [] : lighthouse), ...(options.resources ?? [])],
    ...(options.builtInResources ? { builtInResources: options.builtInResources } : {}),
    ...(release === undefined ? {} : { release }),
    ...(options.agreementEvents ? { agreementEvents: true } : {}),
    ...(options.eventTtlMs === undefined ? {} : { eventTtlMs: options.eventTtlMs }),
    ...(options.audit ? { audit: options.audit } : {}),
    ...(options.dashboard ? { dashboard: options.dashboard } : {}),
    ...(options.webhooks ? { webhooks: options.webhooks } : {}),
    ...(options.aggregation ? { aggregation: options.aggregation } : {}),
    aggregated: options.aggregated,
    ...{ requestHeader: options.requestHeader, clientTrust: options.clientTrust },
    ...(options.conversions ? { conversions: options.conversions } : {}),
    ...(options.traceWriters ? { traceWriters: true } : {}),
    allowUndecodableStorage: options.allowUndecodableStorage ?? [],
    ...(options.encryption ? { encryption: options.encryption } : {}),
    encryptionNews: options.encryptionNews,
    ...(options.serviceAccountTokens ? { serviceAccountTokens: options.serviceAccountTokens } : {}),
    featureGates: { ...defaultFeatureGates, ...options.featureGates },
    ...(options.runtimeConfig === undefined ? {} : { runtimeConfig: options.runtimeConfig }),
    tokens: (token) =>
      token === adminToken ? { name: 'admin', groups: ['system:masters'] } : options.users?.get(token),
    bootstrapPolicy: options.bootstrapPolicy ?? false,
    apiServices: options.apiServices ?? false,
    ...(options.authorizationModes ? { authorizationModes: options.authorizationModes } : {}),
    coordination: {
      ...coordinationDefaults,
      serverID: serverId(world.processes.hostname, options.instance),
      leaseDurationSeconds: options.leaseDurationSeconds ?? coordinationDefaults.leaseDurationSeconds,
      renewIntervalSeconds: options.renewIntervalSeconds ?? coordinationDefaults.renewIntervalSeconds,
      expectedServers: options.expectedServers ?? coordinationDefaults.expectedServers,
      form: options.form ?? coordinationDefaults.form,
      guarantee: options.guarantee ?? coordinationDefaults.guarantee,
      ...(rules ? { rules } : {}),
    },
  })
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
  readonly body: any
}

/** One JSON request, as the admin unless a header says otherwise. */
export async function call(
  transport: Transport,
  method: string,
  target: string,
  body?: unknown,
  headers: HttpRequest['headers'] = {},
): Promise<Answer> {
  const response = await transport({
    method,
    target,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined
      ? {}
      : { body: body instanceof Uint8Array ? body : utf8.encode(JSON.stringify(body)) }),
    signal: new AbortController().signal,
  })
  const text = utf8.decode(await readAll(response.body))
  const isJson = String(response.headers['content-type']).includes('json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

export function beacon(apiVersionName: 'v1' | 'v2', name: string, seconds: number): Record<string, unknown> {
  const spec = apiVersionName === 'v1' ? { everySeconds: seconds } : { periodMs: seconds * 1000 }
  return {
    apiVersion: `lighthouse.example.dev/${apiVersionName}`,
    kind: 'Beacon',
    metadata: { name },
    spec,
  }
}

export const beaconPath = (apiVersionName: 'v1' | 'v2', name = ''): string =>
  `/apis/lighthouse.example.dev/${apiVersionName}/namespaces/default/beacons${name === '' ? '' : `/${name}`}`
export const agreementPath = '/apis/strata.dev/v1alpha1/storageagreements/lighthouse.example.dev.beacons'
export const storageVersionPath =
  '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/lighthouse.example.dev.beacons'
