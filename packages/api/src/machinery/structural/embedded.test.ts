import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import { fieldErrorText } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

const embedded: Schema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
}
const structural = compileStructuralSchema({
  type: 'object',
  properties: {
    e: embedded,
    nested: { ...embedded, properties: { e: embedded } },
    list: { type: 'array', items: embedded },
    map: { type: 'object', additionalProperties: embedded },
  },
})
const resource = { apiVersion: 'foo/v1', kind: 'Foo' }

const cases: ReadonlyArray<[name: string, object: Record<string, unknown>, ...wanted: (string | RegExp)[]]> =
  [
    ['the object itself is not asked', {}],
    ['nothing in it', { e: {} }, 'e.apiVersion: Required value', 'e.kind: Required value'],
    ['all that is needed', { e: resource }],
    [
      'one in another',
      { nested: { e: {} } },
      'nested.apiVersion: Required value',
      'nested.kind: Required value',
      'nested.e.apiVersion: Required value',
      'nested.e.kind: Required value',
    ],
    ['in a list', { list: [resource, { kind: 'A' }] }, 'list[1].apiVersion: Required value'],
    ['in a map', { map: { k: { kind: 'A' } } }, 'map[k].apiVersion: Required value'],
    [
      'empty words',
      { e: { apiVersion: '', kind: '' } },
      /^e.apiVersion: .*must not be empty$/,
      /^e.kind: .*must not be empty$/,
    ],
    [
      'wrong types',
      { e: { apiVersion: 1, kind: true } },
      /^e.apiVersion: .* 1: must be a string$/,
      /^e.kind: .* true: must be a string$/,
    ],
    [
      'too many slashes',
      { e: { ...resource, apiVersion: 'a/b/c' } },
      /unexpected GroupVersion string: a\/b\/c$/,
    ],
    [
      'a strange kind',
      { e: { ...resource, kind: 'foo.bar-com' } },
      /^e.kind: .*may have mixed case, but should otherwise match: a DNS-1035 label/,
    ],
    ['metadata without a name', { e: { ...resource, metadata: { namespace: 'kube-system' } } }],
    [
      'metadata that is wrong in every way',
      {
        e: {
          ...resource,
          metadata: { name: '..', namespace: '$$$', labels: { '#': '#' }, annotations: { '#': '#' } },
        },
      },
      `e.metadata.name: Invalid value: "..": may not be '..'`,
      /^e.metadata.namespace: Invalid value: "\$\$\$"/,
      /^e.metadata.labels: Invalid value: "#": name part/,
      /^e.metadata.labels: Invalid value: "#": a valid label/,
      /^e.metadata.annotations: Invalid value: "#": name part/,
    ],
    [
      'metadata that cannot be read',
      { e: { ...resource, metadata: { labels: { a: 1 } } } },
      'e.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
    [
      'metadata that is a list',
      { e: { ...resource, metadata: [] } },
      'e.metadata: Invalid value: []: json: cannot unmarshal array into Go value of type v1.ObjectMeta',
    ],
    [
      'metadata that is none',
      { e: { ...resource, metadata: 'x' } },
      'e.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    ],
  ]

for (const [name, object, ...wanted] of cases) {
  test(`embedded: ${name}`, () => {
    const found = structural.validate({ metadata: {}, ...object } as ApiObject).map(fieldErrorText)
    assert.equal(found.length, wanted.length, found.join('\n'))
    for (const [index, want] of wanted.entries()) {
      if (typeof want === 'string') assert.equal(found[index], want)
      else assert.match(found[index] ?? '', want)
    }
  })
}
