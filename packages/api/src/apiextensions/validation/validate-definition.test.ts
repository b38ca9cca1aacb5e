import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../machinery/field-error.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../custom-resource-definition.ts'
import { thingDefinition, thingNames } from '../definition-for-test.ts'
import { validateDefinition } from './validate-definition.ts'

const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

const v1: CustomResourceDefinitionVersion = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } },
}
const v2: CustomResourceDefinitionVersion = { ...v1, name: 'v2', storage: false }
const versions = (...list: CustomResourceDefinitionVersion[]): CustomResourceDefinition =>
  thingDefinition({ spec: { versions: list } })
const one = (change: Partial<CustomResourceDefinitionVersion>): CustomResourceDefinition =>
  versions({ ...v1, ...change })
const conversion = (
  strategy: string,
  webhook?: NonNullable<CustomResourceDefinition['spec']['conversion']>['webhook'],
): CustomResourceDefinition =>
  thingDefinition({ spec: { conversion: { strategy, ...(webhook ? { webhook } : {}) } } })
const config = { url: 'https://example.com/convert' }
const colors = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } },
} as const
const approved = 'metadata.annotations[api-approved.kubernetes.io]'
const community = (annotation?: string): CustomResourceDefinition =>
  thingDefinition({
    metadata: {
      name: 'things.example.k8s.io',
      ...(annotation === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': annotation } }),
    },
    spec: { group: 'example.k8s.io' },
  })

const cases: readonly [name: string, definition: CustomResourceDefinition, errors: readonly string[]][] = [
  ['valid', thingDefinition(), []],
  [
    'another name',
    thingDefinition({ metadata: { name: 'x.example.com' } }),
    ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    'no group',
    thingDefinition({ metadata: { name: 'things.' }, spec: { group: '' } }),
    ['spec.group: Required value'],
  ],
  [
    'a group that is no domain',
    thingDefinition({ metadata: { name: 'things.a_b.c' }, spec: { group: 'a_b.c' } }),
    [`spec.group: Invalid value: "a_b.c": ${subdomain}`],
  ],
  [
    'a group without a dot',
    thingDefinition({ metadata: { name: 'things.com' }, spec: { group: 'com' } }),
    ['spec.group: Invalid value: "com": should be a domain with at least one dot'],
  ],
  ...['strata.dev', 'lamps.strata.dev'].map((group): (typeof cases)[number] => [
    `the server's own group ${group}`,
    thingDefinition({ metadata: { name: `things.${group}` }, spec: { group } }),
    [
      'spec.group: Forbidden: strata.dev and its subgroups are reserved for the server; use a group in a domain that you own',
    ],
  ]),
  [
    'a group that is only called alike',
    thingDefinition({ metadata: { name: 'things.substrata.dev' }, spec: { group: 'substrata.dev' } }),
    [],
  ],
  ['no scope', thingDefinition({ spec: { scope: '' } }), ['spec.scope: Required value']],
  [
    'an unknown scope',
    thingDefinition({ spec: { scope: 'Galaxy' } }),
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    'no names',
    thingDefinition({ metadata: { name: '.example.com' }, names: { plural: '', kind: '' } }),
    [
      'spec.names.plural: Required value',
      'spec.names.singular: Required value',
      'spec.names.kind: Required value',
      'spec.names.listKind: Required value',
    ],
  ],
  [
    'names that are none',
    thingDefinition({
      names: {
        plural: 'things',
        singular: 'th_ing',
        kind: 'Th ing',
        listKind: '9List',
        shortNames: ['t', 'T'],
        categories: ['all', ''],
      },
    }),
    [
      `spec.names.singular: Invalid value: "th_ing": ${label}`,
      `spec.names.kind: Invalid value: "Th ing": may have mixed case, but should otherwise match: ${label}`,
      `spec.names.listKind: Invalid value: "9List": may have mixed case, but should otherwise match: ${label}`,
      `spec.names.shortNames[1]: Invalid value: "T": ${label}`,
      `spec.names.categories[1]: Invalid value: "": ${label}`,
    ],
  ],
  [
    'a list that is called as its items',
    thingDefinition({ names: { ...thingNames, listKind: 'Thing' } }),
    ['spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
  ],
  [
    'accepted names that are none',
    thingDefinition({ status: { acceptedNames: { plural: 'THINGS', kind: '' } } }),
    [`status.acceptedNames.plural: Invalid value: "THINGS": ${label}`],
  ],
  [
    'no versions',
    thingDefinition({ spec: { versions: [] }, status: { storedVersions: null } }),
    [
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
  ],
  [
    'two storage versions',
    versions(v1, { ...v2, storage: true }),
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v2","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    ],
  ],
  [
    'a stored version that is gone',
    thingDefinition({ status: { storedVersions: ['v1', 'v0'] } }),
    [
      'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  ],
  [
    'no schema',
    versions({ name: 'v1', served: true, storage: true }, v2),
    ['spec.versions[0].schema.openAPIV3Schema: Required value'],
  ],
  [
    'no schema in any version',
    versions({ name: 'v1', served: false, storage: true, schema: {} }),
    ['spec.versions[0].schema.openAPIV3Schema: Required value'],
  ],
  [
    'a warning for what is not deprecated',
    one({ deprecationWarning: '' }),
    ['spec.versions[0].deprecationWarning: Invalid value: "": can only be set for deprecated versions'],
  ],
  ['a warning', one({ deprecated: true, deprecationWarning: 'old: använd v2' }), []],
  [
    'an empty warning',
    one({ deprecated: true, deprecationWarning: '' }),
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    'a warning of more than a line',
    one({ deprecated: true, deprecationWarning: 'é\nb' }),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "é\\nb": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ],
  ],
  [
    'a long warning',
    one({ deprecated: true, deprecationWarning: 'x'.repeat(257) }),
    [
      `spec.versions[0].deprecationWarning: Invalid value: "${'x'.repeat(257)}": must be <= 256 characters long`,
    ],
  ],
  [
    'unknown fields kept, in the old way',
    thingDefinition({
      spec: {
        preserveUnknownFields: true,
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: config, conversionReviewVersions: ['v1'] },
        },
      },
      schema: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
    }),
    [
      'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
      'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  // Conversion.
  [
    'an unknown strategy',
    conversion('Magic'),
    ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
  ],
  ['no strategy', conversion(''), ['spec.conversion.strategy: Required value']],
  [
    'a webhook that is not asked',
    conversion('None', { clientConfig: config, conversionReviewVersions: ['v1'] }),
    [
      'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  ],
  [
    'no webhook to ask',
    conversion('Webhook'),
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'a webhook',
    conversion('Webhook', { clientConfig: config, conversionReviewVersions: ['v9', 'v1beta1'] }),
    [],
  ],
  [
    'unknown review versions, twice',
    conversion('Webhook', { clientConfig: config, conversionReviewVersions: ['v9', 'v9', '0'] }),
    [
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
      `spec.conversion.conversionReviewVersions[2]: Invalid value: "0": ${label}`,
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9","v9","0"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'a webhook in two places',
    conversion('Webhook', {
      clientConfig: { ...config, service: { namespace: 'n', name: 's', port: 443 } },
      conversionReviewVersions: ['v1'],
    }),
    ['spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required'],
  ],
  [
    'a webhook in the open',
    conversion('Webhook', { clientConfig: { url: 'http://u@h?q#f' }, conversionReviewVersions: ['v1'] }),
    [
      `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'spec.conversion.webhookClientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
    ],
  ],
  [
    'a service at an impossible port',
    conversion('Webhook', {
      clientConfig: { service: { namespace: 'n', name: 's', port: 0, path: 'x' } },
      conversionReviewVersions: ['v1'],
    }),
    [
      'spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      `spec.conversion.webhookClientConfig.service.path: Invalid value: "x": must start with a '/'`,
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "x": segment[0] may not be empty',
    ],
  ],
  [
    'authorities that cannot be read, as long as nothing is served',
    conversion('Webhook', {
      clientConfig: { ...config, caBundle: btoa('x') },
      conversionReviewVersions: ['v1'],
    }),
    [],
  ],
  // Columns, subresources, selectable fields.
  [
    'columns without anything',
    one({ additionalPrinterColumns: [{ name: '', type: '', jsonPath: '' }] }),
    [
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
    ],
  ],
  [
    'columns of one version, of other things',
    versions(v1, {
      ...v2,
      additionalPrinterColumns: [{ name: 'A', type: 'object', format: 'uuid', jsonPath: 'a' }],
    }),
    [
      'spec.versions[1].additionalPrinterColumns[0].type: Invalid value: "object": must be one of boolean,date,integer,number,string',
      'spec.versions[1].additionalPrinterColumns[0].format: Invalid value: "uuid": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.versions[1].additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
    ],
  ],
  [
    'paths of a scale',
    one({
      subresources: {
        scale: {
          specReplicasPath: '.status.a',
          statusReplicasPath: 'status.a',
          labelSelectorPath: '.metadata.a',
        },
      },
    }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.a": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "status.a": must be a simple json path starting with .',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.a": should be a json path under either .spec or .status',
    ],
  ],
  [
    'selectable fields',
    one({
      schema: { openAPIV3Schema: colors },
      selectableFields: [
        { jsonPath: '.spec.color' },
        { jsonPath: '' },
        { jsonPath: '.spec.color' },
        { jsonPath: '.spec' },
        { jsonPath: '.spec.list[0]' },
        { jsonPath: 'spec' },
        { jsonPath: '.' },
      ],
    }),
    [
      'spec.selectableFields[1].jsonPath: Required value',
      'spec.selectableFields[2].jsonPath: Duplicate value: ".spec.color"',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[4].jsonPath: Invalid value: ".spec.list[0]": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[5].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
      'spec.selectableFields[6].jsonPath: Invalid value: ".": is an invalid path: unexpected end of JSON path',
    ],
  ],
  [
    'selectable fields in metadata',
    one({
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { metadata: { type: 'object', properties: { name: { type: 'string' } } } },
        },
      },
      selectableFields: [{ jsonPath: '.metadata.name' }],
    }),
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
    ],
  ],
  [
    'too many selectable fields',
    one({
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: Object.fromEntries([...'abcdefghi'].map((each) => [each, { type: 'boolean' }])),
        },
      },
      selectableFields: [...'abcdefghi'].map((each) => ({ jsonPath: `.${each}` })),
    }),
    ['spec.selectableFields: Too many: 9: must have at most 8 items'],
  ],
  [
    'selectable fields of one version, with the schema of both',
    versions(v1, { ...v2, selectableFields: [{ jsonPath: '.spec' }] }),
    [
      'spec.versions[1].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
    ],
  ],
  // Groups of the community.
  [
    'no approval',
    community(),
    [
      `${approved}: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`,
    ],
  ],
  [
    'an approval that is none',
    community('yes'),
    [
      `${approved}: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
    ],
  ],
  ['an approval', community('https://github.com/kubernetes/enhancements/pull/1111'), []],
  ['an open refusal', community('unapproved, for tests'), []],
]

for (const [name, definition, errors] of cases) {
  test(`definition: ${name}`, () => {
    assert.deepEqual(validateDefinition(definition).map(fieldErrorText), errors)
  })
}
