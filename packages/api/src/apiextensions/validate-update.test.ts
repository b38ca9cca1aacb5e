import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { CustomResourceDefinition } from './custom-resource-definition.ts'
import { now, thingDefinition, thingNames } from './definition-for-test.ts'
import type { JsonSchemaProps } from './json-schema-props.ts'
import { validateDefinitionStatus, validateDefinitionUpdate } from './validation/validate-definition.ts'

type Change = Parameters<typeof thingDefinition>[0]

const established: Partial<CustomResourceDefinition['status']> = {
  acceptedNames: thingNames,
  conditions: [{ type: 'Established', status: 'True', lastTransitionTime: now }],
}
const missing = (name: string, index: number): string =>
  `status.storedVersions[${index}]: Invalid value: "${name}": missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`

/** The same wrong schema with another description: what was accepted is no reason to refuse. */
const kept = (schema: JsonSchemaProps): readonly [Change, Change] => [
  { schema },
  { schema: { ...schema, description: 'changed' } },
]
const field = (schema: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { a: schema } })
const a = 'spec.validation.openAPIV3Schema.properties[a]'
const webhook = (caBundle: string, reviews: readonly string[]): Change => ({
  spec: {
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://h', caBundle }, conversionReviewVersions: reviews },
    },
  },
})
const letters = [...'abcdefghi']
const tooMany = (description: string): Change => ({
  spec: {
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description,
            properties: Object.fromEntries(letters.map((each) => [each, { type: 'string' }])),
          },
        },
        selectableFields: letters.map((each) => ({ jsonPath: `.${each}` })),
      },
    ],
  },
})
const protectedGroup = (annotation?: string): Change => ({
  metadata: {
    name: 'things.x.k8s.io',
    ...(annotation ? { annotations: { 'api-approved.kubernetes.io': annotation } } : {}),
  },
  spec: { group: 'x.k8s.io' },
})
const bundle = 'spec.conversion.webhookClientConfig.caBundle: Invalid value: "eA==": '

const cases: readonly [name: string, before: Change, after: Change, errors: readonly string[]][] = [
  ['nothing changes', {}, {}, []],
  ['a change', {}, { schema: { type: 'object', description: 'd' } }, []],
  [
    'the scope of what is established',
    { status: established },
    { spec: { scope: 'Cluster' }, status: established },
    ['spec.scope: Invalid value: "Cluster": field is immutable'],
  ],
  [
    'the kind of what is established',
    { status: established },
    { names: { ...thingNames, kind: 'Thang' }, status: established },
    ['spec.names.kind: Invalid value: "Thang": field is immutable'],
  ],
  [
    'scope and kind of what is not',
    {},
    { spec: { scope: 'Cluster' }, names: { ...thingNames, kind: 'X' } },
    [],
  ],
  [
    'group and plural, ever',
    {},
    { spec: { group: 'example.org' }, names: { ...thingNames, plural: 'others' } },
    [
      'spec.group: Invalid value: "example.org": field is immutable',
      'spec.names.plural: Invalid value: "others": field is immutable',
    ],
  ],
  [
    'a version that is still stored',
    { status: { storedVersions: ['v0', 'v1'] } },
    { status: { storedVersions: ['v0', 'v1'] }, schema: { type: 'object', description: 'd' } },
    [missing('v0', 0)],
  ],
  [
    'a stored version that there never was, though only a label changes',
    { status: { storedVersions: ['v1', 'v9'] } },
    { status: { storedVersions: ['v1', 'v9'] }, metadata: { labels: { a: 'b' } } },
    [missing('v9', 1)],
  ],
  // What was there before.
  ['an unknown type that was there', ...kept(field({ type: 'text' })), []],
  [
    'another unknown type than before is as good',
    { schema: field({ type: 'text' }) },
    { schema: field({ type: 'word' }) },
    [],
  ],
  [
    'an unknown type that is new',
    { schema: field({ type: 'string' }) },
    { schema: field({ type: 'text' }) },
    [
      `${a}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    'a set of objects that was there',
    ...kept(field({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } })),
    [],
  ],
  [
    'keys that may be missing, as before',
    ...kept(
      field({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' } } },
      }),
    ),
    [],
  ],
  [
    'a pattern that is none is refused, though it was there',
    ...kept(field({ type: 'string', pattern: '(' })),
    [
      `${a}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ],
  ],
  [
    'no schema, as before, in a version that is served',
    { spec: { versions: [{ name: 'v1', served: true, storage: true }] } },
    { spec: { versions: [{ name: 'v1', served: true, storage: true, deprecated: true }] } },
    ['spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned'],
  ],
  [
    'no schema, as before, in a version that is not served',
    { spec: { versions: [{ name: 'v1', served: false, storage: true }] } },
    { spec: { versions: [{ name: 'v1', served: false, storage: true, deprecated: true }] } },
    [],
  ],
  ['too many selectable fields, as before', tooMany('a'), tooMany('b'), []],
  [
    'too many selectable fields, not as before',
    {},
    tooMany('b'),
    ['spec.selectableFields: Too many: 9: must have at most 8 items'],
  ],
  // The authorities of a webhook.
  ['authorities that cannot be read, not established', {}, webhook(btoa('x'), ['v1']), []],
  [
    'authorities that cannot be read, established',
    { status: established },
    { ...webhook(btoa('x'), ['v1']), status: established },
    [`${bundle}unable to load root certificates: unable to parse bytes as PEM block`],
  ],
  [
    'authorities that could not be read before',
    { ...webhook(btoa('y'), ['v1']), status: established },
    { ...webhook(btoa('x'), ['v1']), status: established },
    [],
  ],
  ['review versions that were unknown before', webhook('', ['v7']), webhook('', ['v8']), []],
  [
    'review versions that are no longer known',
    webhook('', ['v1']),
    webhook('', ['v8']),
    [
      'spec.conversion.conversionReviewVersions: Invalid value: ["v8"]: must include at least one of v1, v1beta1',
    ],
  ],
  // Approval.
  ['an approval that was missing', protectedGroup(), protectedGroup(), []],
  [
    'an approval that is taken away',
    protectedGroup('https://example.com/1'),
    protectedGroup(),
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    'unknown fields kept as before',
    { spec: { preserveUnknownFields: true } },
    { spec: { preserveUnknownFields: true }, schema: { type: 'object', title: 't' } },
    [],
  ],
]

for (const [name, before, after, errors] of cases) {
  test(`definition changed: ${name}`, () => {
    const stored = thingDefinition(before)
    const next = thingDefinition(after)
    next.metadata.name = stored.metadata.name ?? ''
    assert.deepEqual(validateDefinitionUpdate(next, stored).map(fieldErrorText), errors)
  })
}

test('a status may name versions that there are not, or none', () => {
  for (const storedVersions of [['v9'], [], null]) {
    assert.deepEqual(validateDefinitionStatus(thingDefinition({ status: { storedVersions } })), [])
  }
})
