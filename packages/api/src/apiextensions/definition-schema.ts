import {
  boolean,
  integer,
  objectSchema,
  structSchema,
  text,
  textList,
  time,
} from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { jsonSchemaPropsSchema } from './json-schema-props-schema.ts'

const atomicTexts: Schema = { ...textList, 'x-kubernetes-list-type': 'atomic' }
/** Written even when it is empty. */
const requiredText: Schema = { ...text, default: '' }
const optionalText: Schema = { ...text, nullable: true }
const flag: Schema = { ...boolean, 'x-strata-omits-zero': true }
const count: Schema = { ...integer, format: 'int64', 'x-strata-omits-zero': true }

const names = structSchema(
  'CustomResourceDefinitionNames',
  'The names of the resource and its kind.',
  {
    plural: { ...requiredText, description: 'The plural name, as in /apis/<group>/<version>/.../<plural>.' },
    singular: { ...text, description: 'The singular name. Defaults to the kind in lower case.' },
    shortNames: { ...atomicTexts, description: 'Short names, used on the command line.' },
    kind: { ...requiredText, description: 'The kind of a custom resource, normally CamelCase and singular.' },
    listKind: { ...text, description: 'The kind of a list. Defaults to the kind followed by List.' },
    categories: { ...atomicTexts, description: 'The categories of the resource, such as all.' },
  },
  ['plural', 'kind'],
)

const service = structSchema(
  'ServiceReference',
  'A Service in the cluster.',
  {
    namespace: { ...requiredText, description: 'The namespace of the service.' },
    name: { ...requiredText, description: 'The name of the service.' },
    path: { ...optionalText, description: 'The URL path of the webhook.' },
    port: { ...integer, format: 'int32', nullable: true, description: 'The port. Defaults to 443.' },
  },
  ['namespace', 'name'],
)

const clientConfig = structSchema('WebhookClientConfig', 'How to reach a webhook.', {
  url: { ...optionalText, description: 'The URL of the webhook: https://host:port/path.' },
  service: { ...service, nullable: true, description: 'The service to call, in place of url.' },
  caBundle: {
    ...text,
    format: 'byte',
    description:
      'The CA bundle that verifies the certificate of the webhook, in PEM. Defaults to the system trust store.',
  },
})

const conversion = structSchema(
  'CustomResourceConversion',
  'How objects are converted between versions.',
  {
    strategy: { ...requiredText, description: 'None, which changes only apiVersion, or Webhook.' },
    webhook: {
      ...structSchema(
        'WebhookConversion',
        'How to call the conversion webhook.',
        {
          clientConfig: { ...clientConfig, nullable: true, description: 'How to reach the webhook.' },
          conversionReviewVersions: {
            ...atomicTexts,
            default: null,
            description: 'The ConversionReview versions the webhook accepts, in order of preference.',
          },
        },
        ['conversionReviewVersions'],
      ),
      nullable: true,
      description: 'How to call the webhook. Only for the strategy Webhook.',
    },
  },
  ['strategy'],
)

const column = structSchema(
  'CustomResourceColumnDefinition',
  'An additional column of the table that kubectl get prints.',
  {
    name: { ...requiredText, description: 'The heading of the column.' },
    type: { ...requiredText, description: 'The value type: string, integer, number, boolean or date.' },
    format: { ...text, description: 'The format of the values. The format name marks the primary column.' },
    description: { ...text, description: 'A description of the column.' },
    priority: {
      ...integer,
      format: 'int32',
      'x-strata-omits-zero': true,
      description: 'Columns with priority 0 are always shown, others only in wide output.',
    },
    jsonPath: { ...requiredText, description: 'The JSONPath of the value: .spec.replicas' },
  },
  ['name', 'type', 'jsonPath'],
)

const subresources = structSchema('CustomResourceSubresources', 'The subresources of a custom resource.', {
  status: {
    type: 'object',
    'x-strata-type': {
      name: 'CustomResourceSubresourceStatus',
      description: 'The status subresource. Status changes only through /status.',
    },
    nullable: true,
    description: 'If set, the status subresource is enabled.',
  },
  scale: {
    ...structSchema(
      'CustomResourceSubresourceScale',
      'Which fields of a custom resource map to a Scale.',
      {
        specReplicasPath: { ...requiredText, description: 'The path of the desired replicas, below .spec.' },
        statusReplicasPath: {
          ...requiredText,
          description: 'The path of the current replicas, below .status.',
        },
        labelSelectorPath: {
          ...optionalText,
          description: 'The JSONPath of the label selector as a string, below .spec or .status.',
        },
      },
      ['specReplicasPath', 'statusReplicasPath'],
    ),
    nullable: true,
    description: 'If set, the scale subresource is enabled.',
  },
})

const versionSchema = structSchema(
  'CustomResourceDefinitionVersion',
  'One version of the custom resource.',
  {
    name: { ...requiredText, description: 'The name, such as v1 or v2beta1.' },
    served: { ...boolean, default: false, description: 'Whether the version is served by the API.' },
    storage: { ...boolean, default: false, description: 'Whether this is the storage version. One must be.' },
    deprecated: { ...flag, description: 'Whether clients that use the version get a warning.' },
    deprecationWarning: { ...optionalText, description: 'The text of the warning, in place of the default.' },
    schema: {
      ...structSchema('CustomResourceValidation', 'The schema of a custom resource.', {
        openAPIV3Schema: { ...jsonSchemaPropsSchema, nullable: true, description: 'The OpenAPI v3 schema.' },
      }),
      nullable: true,
      description: 'The schema of this version.',
    },
    subresources: { ...subresources, nullable: true, description: 'The subresources of this version.' },
    additionalPrinterColumns: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: column,
      description: 'The columns after the name. Defaults to the age.',
    },
    selectableFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: structSchema(
        'SelectableField',
        'A field that can be used in field selectors.',
        { jsonPath: { ...requiredText, description: 'The JSONPath of the field: .spec.color' } },
        ['jsonPath'],
      ),
      description: 'The fields that can be used in field selectors. At most eight.',
    },
  },
  ['name', 'served', 'storage'],
)

const spec = structSchema(
  'CustomResourceDefinitionSpec',
  'The names, versions and schemas of a custom resource.',
  {
    group: { ...requiredText, description: 'The API group. The name of the CRD is <plural>.<group>.' },
    names: { ...names, default: {}, description: 'The names of the resource and its kind.' },
    scope: { ...requiredText, description: 'The scope: Namespaced or Cluster.' },
    versions: {
      type: 'array',
      default: null,
      'x-kubernetes-list-type': 'atomic',
      items: versionSchema,
      description: 'The versions, in any order.',
    },
    conversion: { ...conversion, nullable: true, description: 'How objects are converted between versions.' },
    preserveUnknownFields: {
      ...flag,
      description: 'Must be false. Use x-kubernetes-preserve-unknown-fields in the schema instead.',
    },
  },
  ['group', 'names', 'scope', 'versions'],
)

const condition = structSchema(
  'CustomResourceDefinitionCondition',
  'One aspect of the state of a CRD.',
  {
    type: { ...requiredText, description: 'The type, such as Established, NamesAccepted or Terminating.' },
    status: { ...requiredText, description: 'True, False or Unknown.' },
    lastTransitionTime: { ...time, default: null, description: 'When the status last changed.' },
    reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
    message: { ...text, description: 'A human-readable explanation.' },
    observedGeneration: { ...count, description: 'The generation that the condition was computed from.' },
  },
  ['type', 'status'],
)

const status = structSchema('CustomResourceDefinitionStatus', 'The state of a CRD.', {
  conditions: {
    type: 'array',
    nullable: true,
    default: null,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: condition,
    description: 'The current conditions of the CRD.',
  },
  acceptedNames: { ...names, default: {}, description: 'The names that are in use.' },
  storedVersions: {
    ...atomicTexts,
    default: null,
    description:
      'Every version that stored objects may be in. Remove a version here before it is removed from the spec.',
  },
  observedGeneration: { ...count, description: 'The generation that was last reconciled.' },
})

export const customResourceDefinitionSchema: Schema = {
  ...objectSchema(
    {
      spec: { ...spec, default: {}, description: 'The desired state.' },
      status: { ...status, default: {}, description: 'The observed state.' },
    },
    ['spec'],
  ),
  description: 'Defines a custom resource: its names, versions and schemas.',
}

/** Shared with the stored version of CRDs. */
export const definitionParts = {
  atomicTexts,
  requiredText,
  clientConfig,
  column,
  versionSchema,
  spec,
  status,
}
