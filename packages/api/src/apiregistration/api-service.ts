import { ageColumn, type Cell, nameColumn, textColumn } from '../machinery/columns.ts'
import { defineResource } from '../machinery/define-resource.ts'
import {
  boolean,
  identityVersion,
  integer,
  objectSchema,
  structSchema,
  text,
  time,
} from '../machinery/identity-version.ts'
import { pathSegment } from '../machinery/name-rules.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { localCondition, withAvailable } from './available.ts'
import { validateApiService, validateApiServiceStatus } from './validate-api-service.ts'

export const apiregistrationGroup = 'apiregistration.k8s.io'

export interface ApiServiceCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export interface ApiServiceSpec {
  /** The service that serves the version, if it is not this server. */
  readonly service?: { readonly namespace?: string; readonly name?: string; readonly port?: number }
  readonly group?: string
  readonly version?: string
  readonly insecureSkipTLSVerify?: boolean
  /** Base64. */
  readonly caBundle?: string
  readonly groupPriorityMinimum: number
  readonly versionPriority: number
}

export interface ApiServiceStatus {
  readonly conditions?: readonly ApiServiceCondition[]
}

/** Registers the server of one API version, and its order in discovery. */
export interface ApiService extends ApiObject {
  spec: ApiServiceSpec
  status: ApiServiceStatus
}

/** `v1.apps`; of the core group, `v1.`. */
export function apiServiceName(group: string, versionName: string): string {
  return `${versionName}.${group}`
}

const serviceReference = structSchema(
  'ServiceReference',
  'ServiceReference holds a reference to Service.legacy.k8s.io',
  {
    namespace: { ...text, description: 'The namespace of the service.' },
    name: { ...text, description: 'The name of the service.' },
    port: { ...integer, format: 'int32', description: 'The port. Defaults to 443.' },
  },
)

const spec = structSchema(
  'APIServiceSpec',
  'The server of one API version, and the order of the version in discovery.',
  {
    service: {
      ...serviceReference,
      nullable: true,
      description: 'The service that serves the version. If unset, this server does.',
    },
    group: { ...text, description: 'The group.' },
    version: { ...text, description: 'The version: "v1".' },
    insecureSkipTLSVerify: {
      ...boolean,
      'x-strata-omits-zero': true,
      description: 'Whether to skip verification of the certificate of the service.',
    },
    caBundle: {
      ...text,
      format: 'byte',
      'x-kubernetes-list-type': 'atomic',
      description: 'The CA bundle that verifies the certificate of the service, in PEM.',
    },
    groupPriorityMinimum: {
      ...integer,
      format: 'int32',
      default: 0,
      description:
        'Orders groups in discovery: the highest value among the versions of a group first, then by name.',
    },
    versionPriority: {
      ...integer,
      format: 'int32',
      default: 0,
      description:
        'Orders the versions of a group in discovery: highest first, then by stability and number.',
    },
  },
  ['groupPriorityMinimum', 'versionPriority'],
)

const condition = structSchema(
  'APIServiceCondition',
  'One aspect of the state of an APIService.',
  {
    type: { ...text, default: '', description: 'The type: Available.' },
    status: { ...text, default: '', description: 'True, False or Unknown.' },
    lastTransitionTime: { ...time, description: 'When the status last changed.' },
    reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
    message: { ...text, description: 'A human-readable explanation.' },
  },
  ['type', 'status'],
)

const schema: Schema = {
  ...objectSchema({
    spec: {
      ...spec,
      default: {},
      description: 'The server of one API version, and the order of the version in discovery.',
    },
    status: {
      ...structSchema('APIServiceStatus', 'The state of an APIService.', {
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'type',
          items: condition,
          description: 'The current conditions, such as Available.',
        },
      }),
      default: {},
      description: 'The state of an APIService.',
    },
  }),
  description: 'APIService represents a server for a particular GroupVersion. Name must be "version.group".',
}

/** Runs before validation. */
function fillPort({ spec }: ApiService): void {
  const service = spec?.service as { port?: number } | undefined
  if (service && typeof service === 'object') service.port ??= 443
}

function availableCell({ status }: ApiService): Cell {
  const found = status?.conditions?.find(({ type }) => type === 'Available')
  if (!found) return 'Unknown'
  return found.status === 'True' || !found.reason ? found.status : `${found.status} (${found.reason})`
}

export const apiServices = defineResource<ApiService>({
  group: apiregistrationGroup,
  kind: 'APIService',
  plural: 'apiservices',
  categories: ['api-extensions'],
  scope: 'Cluster',
  typed: true,
  versions: { v1: identityVersion<ApiService>(schema, fillPort) },
  preferredStorageVersion: 'v1',
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  subresources: { status: true },
  columns: [
    nameColumn,
    textColumn('Service', 'The reference to the service that hosts this API endpoint.', ({ spec }) =>
      spec?.service ? `${spec.service.namespace}/${spec.service.name}` : 'Local',
    ),
    textColumn('Available', 'Whether this service is available.', availableCell),
    ageColumn,
  ],
  strategy: {
    // The rest of the name is validated with the whole object.
    nameRule: pathSegment,
    prepareForCreate: (service, now) => {
      service.status = service.spec?.service ? {} : withAvailable({}, localCondition, now)
    },
    prepareForUpdate: (service, stored) => {
      service.status = structuredClone(stored.status)
    },
    validate: validateApiService,
    validateStatusUpdate: validateApiServiceStatus,
  },
})
