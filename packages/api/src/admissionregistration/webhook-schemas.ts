import { integer, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { labelSelectorSchema } from '../meta/label-selector-object.ts'

const list: Schema = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' }
/** A pointer upstream: that it is empty is something else than that it is absent. */
const maybe: Schema = { ...text, nullable: true }

const service = structSchema(
  'ServiceReference',
  'A Service in the cluster. The server resolves it by its configuration (docs/webhooks.md).',
  {
    namespace: { ...text, default: '', description: 'The namespace of the service.' },
    name: { ...text, default: '', description: 'The name of the service.' },
    path: { ...maybe, description: 'The URL path to call.' },
    port: { ...integer, format: 'int32', nullable: true, description: 'The port. Defaults to 443.' },
  },
  ['namespace', 'name'],
)

const clientConfig: Schema = {
  ...structSchema('WebhookClientConfig', 'How to reach a webhook: by url or by service.', {
    url: { ...maybe, description: 'The URL, as https://host:port/path, without user, query or fragment.' },
    service: { ...service, nullable: true, description: 'The service to call, in place of url.' },
    caBundle: {
      ...text,
      format: 'byte',
      description:
        'The CA bundle that verifies the certificate of the webhook: PEM, in base64. Defaults to the system trust store.',
    },
  }),
  default: {},
  description: 'How to reach the webhook.',
}

const rule = structSchema(
  'RuleWithOperations',
  'The operations and resources that the webhook is called for.',
  {
    operations: { ...list, description: 'CREATE, UPDATE, DELETE, CONNECT; * matches all.' },
    apiGroups: { ...list, description: 'The API groups; * matches all.' },
    apiVersions: { ...list, description: 'The API versions; * matches all.' },
    resources: {
      ...list,
      description:
        'The resources, such as pods, pods/status, pods/*, */scale. * matches all resources, */* also all subresources.',
    },
    scope: { ...maybe, description: 'Cluster, Namespaced, or *. Defaults to *.' },
  },
)

const matchCondition = structSchema(
  'MatchCondition',
  'A CEL condition. The webhook is called only if it is true.',
  {
    name: { ...text, default: '', description: 'The name of the condition.' },
    expression: { ...text, default: '', description: 'CEL, over object, oldObject, request and authorizer.' },
  },
  ['name', 'expression'],
)

const byName = {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
} as const

const properties: Readonly<Record<string, Schema>> = {
  name: { ...text, default: '', description: 'The name: a domain name with at least three parts.' },
  clientConfig,
  rules: {
    type: 'array',
    nullable: true,
    'x-kubernetes-list-type': 'atomic',
    items: rule,
    description: 'The requests the webhook is called for. A request must match one of the rules.',
  },
  failurePolicy: { ...maybe, description: 'How a failed call is handled: Fail or Ignore. Defaults to Fail.' },
  matchPolicy: {
    ...maybe,
    description:
      'Whether rules also match requests for other versions of the same resource: Equivalent or Exact. Defaults to Equivalent.',
  },
  namespaceSelector: {
    ...labelSelectorSchema,
    nullable: true,
    description:
      'Limits the webhook to namespaces that match. Cluster-scoped objects other than namespaces always match.',
  },
  objectSelector: {
    ...labelSelectorSchema,
    nullable: true,
    description: 'Limits the webhook to objects that match before or after the change.',
  },
  sideEffects: { ...maybe, description: 'Whether the webhook has side effects: None or NoneOnDryRun.' },
  timeoutSeconds: {
    ...integer,
    format: 'int32',
    nullable: true,
    description: 'The timeout of a call, from 1 to 30 seconds. Defaults to 10.',
  },
  admissionReviewVersions: {
    ...list,
    default: null,
    description: 'The AdmissionReview versions the webhook accepts, in order of preference.',
  },
  matchConditions: {
    type: 'array',
    nullable: true,
    ...byName,
    items: matchCondition,
    description: 'Further CEL conditions, all of which must be true. At most 64.',
  },
}

const required = ['name', 'clientConfig', 'sideEffects', 'admissionReviewVersions']

const validating = structSchema(
  'ValidatingWebhook',
  'A webhook that can reject requests.',
  properties,
  required,
)

const mutating = structSchema(
  'MutatingWebhook',
  'A webhook that can change objects before they are stored, or reject requests.',
  {
    ...properties,
    reinvocationPolicy: {
      ...maybe,
      description:
        'Whether the webhook is called again if a later webhook changes the object: Never or IfNeeded.',
    },
  },
  required,
)

function configurationSchema(webhook: Schema, description: string): Schema {
  const webhooks: Schema = {
    type: 'array',
    nullable: true,
    ...byName,
    items: webhook,
    description: 'The webhooks and the requests they are called for.',
  }
  return { ...objectSchema({ webhooks }), description }
}

export const mutatingSchema = configurationSchema(
  mutating,
  'Registers webhooks that can change objects before they are stored.',
)
export const validatingSchema = configurationSchema(
  validating,
  'Registers webhooks that can reject requests.',
)
