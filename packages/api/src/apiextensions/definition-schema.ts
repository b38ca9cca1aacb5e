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
  'How instances are called, in paths and by people.',
  {
    plural: { ...requiredText, description: 'The name in paths: /apis/<group>/<version>/.../<plural>.' },
    singular: {
      ...text,
      description: 'The name of one, on command lines; the kind in lower case by default.',
    },
    shortNames: { ...atomicTexts, description: 'Short names, for command lines.' },
    kind: { ...requiredText, description: 'The kind of an instance, normally in CamelCase and singular.' },
    listKind: { ...text, description: 'The kind of a list; the kind with List behind it by default.' },
    categories: { ...atomicTexts, description: 'Groups of kinds, such as all, that it belongs to.' },
  },
  ['plural', 'kind'],
)

const service = structSchema(
  'ServiceReference',
  'A service of the cluster.',
  {
    namespace: { ...requiredText, description: 'The namespace of the service.' },
    name: { ...requiredText, description: 'The name of the service.' },
    path: { ...optionalText, description: 'The path at which the webhook is asked.' },
    port: { ...integer, format: 'int32', nullable: true, description: 'The port; 443 by default.' },
  },
  ['namespace', 'name'],
)

const clientConfig = structSchema('WebhookClientConfig', 'How a webhook is reached.', {
  url: { ...optionalText, description: 'Where the webhook is: https://host:port/path.' },
  service: { ...service, nullable: true, description: 'The service that the webhook is, in place of a url.' },
  caBundle: {
    ...text,
    format: 'byte',
    description: "Who vouches for the webhook's certificate, in PEM; the system's authorities by default.",
  },
})

const conversion = structSchema(
  'CustomResourceConversion',
  'How instances are turned from one version into another.',
  {
    strategy: {
      ...requiredText,
      description: 'None, if only apiVersion differs, or Webhook, if a webhook is to be asked.',
    },
    webhook: {
      ...structSchema(
        'WebhookConversion',
        'How to ask the webhook that converts.',
        {
          clientConfig: { ...clientConfig, nullable: true, description: 'How the webhook is reached.' },
          conversionReviewVersions: {
            ...atomicTexts,
            default: null,
            description: 'The versions of ConversionReview that the webhook understands, the best first.',
          },
        },
        ['conversionReviewVersions'],
      ),
      nullable: true,
      description: 'How to ask the webhook; only with the strategy Webhook.',
    },
  },
  ['strategy'],
)

const column = structSchema(
  'CustomResourceColumnDefinition',
  'One column of the table in which instances are shown.',
  {
    name: { ...requiredText, description: 'What stands above it.' },
    type: { ...requiredText, description: 'What its cells are: string, integer, number, boolean or date.' },
    format: { ...text, description: 'More about what its cells are: name marks the column of names.' },
    description: { ...text, description: 'What it shows, for people.' },
    priority: {
      ...integer,
      format: 'int32',
      'x-strata-omits-zero': true,
      description: '0 is always shown; more only where there is room.',
    },
    jsonPath: { ...requiredText, description: 'Where its cells come from, as a path: .spec.replicas' },
  },
  ['name', 'type', 'jsonPath'],
)

const subresources = structSchema('CustomResourceSubresources', 'What instances have besides themselves.', {
  status: {
    type: 'object',
    'x-strata-type': {
      name: 'CustomResourceSubresourceStatus',
      description: 'A status that is written at /status alone.',
    },
    nullable: true,
    description: 'If there, instances have a status that is written at /status alone.',
  },
  scale: {
    ...structSchema(
      'CustomResourceSubresourceScale',
      'Where instances have what a Scale shows.',
      {
        specReplicasPath: { ...requiredText, description: 'How many are wanted: a path below .spec.' },
        statusReplicasPath: { ...requiredText, description: 'How many there are: a path below .status.' },
        labelSelectorPath: {
          ...optionalText,
          description: 'Which are meant, as the text of a selector: a path below .spec or .status.',
        },
      },
      ['specReplicasPath', 'statusReplicasPath'],
    ),
    nullable: true,
    description: 'If there, instances can be scaled.',
  },
})

const versionSchema = structSchema(
  'CustomResourceDefinitionVersion',
  'One version in which instances are served or stored.',
  {
    name: { ...requiredText, description: 'Its name: v1, v2beta1.' },
    served: { ...boolean, default: false, description: 'Whether clients may use it.' },
    storage: {
      ...boolean,
      default: false,
      description: 'Whether instances are stored in it; true for exactly one.',
    },
    deprecated: { ...flag, description: 'Whether those who use it are warned.' },
    deprecationWarning: { ...optionalText, description: 'What they are told, in place of the usual words.' },
    schema: {
      ...structSchema('CustomResourceValidation', 'What instances look like.', {
        openAPIV3Schema: {
          ...jsonSchemaPropsSchema,
          nullable: true,
          description: 'The schema of an instance.',
        },
      }),
      nullable: true,
      description: 'What instances look like in this version.',
    },
    subresources: {
      ...subresources,
      nullable: true,
      description: 'What instances have besides themselves in this version.',
    },
    additionalPrinterColumns: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: column,
      description: 'The columns after the name; the age if nothing is said.',
    },
    selectableFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: structSchema(
        'SelectableField',
        'A field that a field selector may name.',
        { jsonPath: { ...requiredText, description: 'Where it is, as a path: .spec.color' } },
        ['jsonPath'],
      ),
      description: 'The fields that a field selector may name, at most eight.',
    },
  },
  ['name', 'served', 'storage'],
)

const spec = structSchema(
  'CustomResourceDefinitionSpec',
  'The names of a kind, its versions, and what its objects look like.',
  {
    group: {
      ...requiredText,
      description: 'The group of the kind, and the end of the name of the definition.',
    },
    names: { ...names, default: {}, description: 'How instances are called.' },
    scope: { ...requiredText, description: 'Whether instances are in namespaces: Namespaced or Cluster.' },
    versions: {
      type: 'array',
      default: null,
      'x-kubernetes-list-type': 'atomic',
      items: versionSchema,
      description: 'The versions of the kind, in any order.',
    },
    conversion: {
      ...conversion,
      nullable: true,
      description: 'How instances are turned into other versions.',
    },
    preserveUnknownFields: {
      ...flag,
      description: 'Only false is allowed; schemas say x-kubernetes-preserve-unknown-fields.',
    },
  },
  ['group', 'names', 'scope', 'versions'],
)

const condition = structSchema(
  'CustomResourceDefinitionCondition',
  'Something that is so, or is not, about a definition.',
  {
    type: { ...requiredText, description: 'What it is about: Established, NamesAccepted, Terminating.' },
    status: { ...requiredText, description: 'Whether it is so: True, False or Unknown.' },
    lastTransitionTime: { ...time, default: null, description: 'When the status last changed.' },
    reason: { ...text, description: 'Why, in one word.' },
    message: { ...text, description: 'Why, for people.' },
    observedGeneration: { ...count, description: 'The generation of the definition that it was seen in.' },
  },
  ['type', 'status'],
)

const status = structSchema('CustomResourceDefinitionStatus', 'What became of a definition.', {
  conditions: {
    type: 'array',
    nullable: true,
    default: null,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: condition,
    description: 'What is seen of the definition now.',
  },
  acceptedNames: { ...names, default: {}, description: 'The names under which instances are served.' },
  storedVersions: {
    ...atomicTexts,
    default: null,
    description: 'Every version in which there may still be stored instances.',
  },
  observedGeneration: { ...count, description: 'The generation of the definition that was last looked at.' },
})

export const customResourceDefinitionSchema: Schema = {
  ...objectSchema(
    {
      spec: { ...spec, default: {}, description: 'The kind that is wanted.' },
      status: { ...status, default: {}, description: 'What became of it.' },
    },
    ['spec'],
  ),
  description: 'What makes a kind: its names, its versions, and what its objects look like in each.',
}

/** What the other version of definitions has as well. */
export const definitionParts = {
  atomicTexts,
  requiredText,
  clientConfig,
  column,
  versionSchema,
  spec,
  status,
}
