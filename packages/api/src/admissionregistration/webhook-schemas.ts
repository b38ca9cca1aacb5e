import { integer, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { labelSelectorSchema } from '../meta/label-selector-object.ts'

const list: Schema = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' }
/** A pointer upstream: that it is empty is something else than that it is absent. */
const maybe: Schema = { ...text, nullable: true }

const service = structSchema(
  'ServiceReference',
  'A service, by its names; this server is told where it is (docs/webhooks.md).',
  {
    namespace: { ...text, default: '', description: 'The namespace of the service.' },
    name: { ...text, default: '', description: 'The name of the service.' },
    path: { ...maybe, description: 'The path of requests to it.' },
    port: { ...integer, format: 'int32', nullable: true, description: 'Its port; 443 by default.' },
  },
  ['namespace', 'name'],
)

const clientConfig: Schema = {
  ...structSchema('WebhookClientConfig', 'Where a webhook is: at an address, or behind a service.', {
    url: { ...maybe, description: 'Its address, without user, query and fragment: https://host:port/path.' },
    service: { ...service, nullable: true, description: 'The service that it stands behind.' },
    caBundle: {
      ...text,
      format: 'byte',
      description: 'Who signs its certificate: PEM, in base64. Without it, whom the system trusts.',
    },
  }),
  default: {},
  description: 'Where the webhook is.',
}

const rule = structSchema(
  'RuleWithOperations',
  'Which requests a webhook is asked about: by operation, and by what they are about.',
  {
    operations: { ...list, description: 'CREATE, UPDATE, DELETE, CONNECT; * for all of them.' },
    apiGroups: { ...list, description: 'The groups of the resources; * for all.' },
    apiVersions: { ...list, description: 'The versions of the resources; * for all.' },
    resources: {
      ...list,
      description: 'The resources: pods, pods/status, pods/*, */scale, * without and */* with subresources.',
    },
    scope: { ...maybe, description: 'Cluster, Namespaced, or * for both, which is the default.' },
  },
)

const matchCondition = structSchema(
  'MatchCondition',
  'An expression that must be true of a request, or the webhook is not asked.',
  {
    name: { ...text, default: '', description: 'What to call it.' },
    expression: {
      ...text,
      default: '',
      description: 'In CEL, over object, oldObject, request and authorizer.',
    },
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
  name: { ...text, default: '', description: 'What to call it: a domain name of three parts or more.' },
  clientConfig,
  rules: {
    type: 'array',
    nullable: true,
    'x-kubernetes-list-type': 'atomic',
    items: rule,
    description: 'What it is asked about: whatever one of the rules matches.',
  },
  failurePolicy: { ...maybe, description: 'What its silence means: Fail, the default, or Ignore.' },
  matchPolicy: {
    ...maybe,
    description:
      'Whether the same object by way of another version matches: Equivalent, the default, or Exact.',
  },
  namespaceSelector: {
    ...labelSelectorSchema,
    nullable: true,
    description: 'Which namespaces it is asked about; other objects outside of namespaces always.',
  },
  objectSelector: {
    ...labelSelectorSchema,
    nullable: true,
    description: 'Which objects it is asked about: those that are selected before or after the change.',
  },
  sideEffects: { ...maybe, description: 'What else it does: None, or NoneOnDryRun.' },
  timeoutSeconds: {
    ...integer,
    format: 'int32',
    nullable: true,
    description: 'How long it may take, from 1 to 30; 10 by default.',
  },
  admissionReviewVersions: {
    ...list,
    default: null,
    description: 'Which versions of AdmissionReview it understands, the best first.',
  },
  matchConditions: {
    type: 'array',
    nullable: true,
    ...byName,
    items: matchCondition,
    description: 'What must be true of a request besides, up to 64 expressions.',
  },
}

const required = ['name', 'clientConfig', 'sideEffects', 'admissionReviewVersions']

const validating = structSchema(
  'ValidatingWebhook',
  'Somebody who may refuse requests.',
  properties,
  required,
)

const mutating = structSchema(
  'MutatingWebhook',
  'Somebody who may change objects before they are stored, or refuse requests.',
  {
    ...properties,
    reinvocationPolicy: {
      ...maybe,
      description: 'Whether it is asked again when others change the object after it: Never, or IfNeeded.',
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
    description: 'The webhooks, and what each is asked about.',
  }
  return { ...objectSchema({ webhooks }), description }
}

export const mutatingSchema = configurationSchema(mutating, 'Who may change objects before they are stored.')
export const validatingSchema = configurationSchema(validating, 'Who may refuse requests.')
