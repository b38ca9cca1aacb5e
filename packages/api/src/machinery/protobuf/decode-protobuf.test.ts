import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtobuf, MalformedProtobuf, openEnvelope, protobufMessage } from './index.ts'
import { everyMessage } from './message-table.ts'
import { delimited, entry, envelope, integer, tag, varint } from './protobuf-for-test.ts'

const parseJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

function decode(apiVersion: string, kind: string, raw: readonly number[]): Record<string, unknown> {
  const message = protobufMessage(apiVersion, kind)
  assert.ok(message)
  return decodeProtobuf(Uint8Array.from(raw), message, parseJson)
}

const decoded: ReadonlyArray<
  [name: string, apiVersion: string, kind: string, raw: readonly number[], want: unknown]
> = [
  ['nothing is an empty object', 'v1', 'ConfigMap', [], {}],
  [
    'texts that are empty and no pointers say nothing',
    'v1',
    'ConfigMap',
    delimited(1, [...delimited(1, 'a'), ...delimited(2, ''), ...integer(7, 0), ...delimited(8, [])]),
    { metadata: { name: 'a' } },
  ],
  ['pointers to zero are kept', 'v1', 'ConfigMap', integer(4, 0), { immutable: false }],
  [
    'an empty holder is a holder',
    'coordination.k8s.io/v1',
    'Lease',
    delimited(2, delimited(1, '')),
    { spec: { holderIdentity: '' } },
  ],
  [
    'bytes are base64, and a map keeps empty values',
    'v1',
    'Secret',
    [...entry(2, 'k', [0, 255]), ...entry(2, 'e', '')],
    { data: { k: 'AP8=', e: '' } },
  ],
  [
    'an entry without a value is an empty value',
    'v1',
    'ConfigMap',
    delimited(2, delimited(1, 'k')),
    { data: { k: '' } },
  ],
  ['an entry without a key has the empty key', 'v1', 'ConfigMap', delimited(2, []), { data: { '': '' } }],
  [
    'the last of two values counts',
    'v1',
    'ConfigMap',
    delimited(1, [...delimited(1, 'a'), ...delimited(1, 'b'), ...delimited(2, 'g-'), ...delimited(2, '')]),
    { metadata: { name: 'b' } },
  ],
  [
    'a message in two pieces is one',
    'v1',
    'ConfigMap',
    [...delimited(1, delimited(1, 'a')), ...delimited(1, delimited(3, 'n'))],
    { metadata: { name: 'a', namespace: 'n' } },
  ],
  [
    'unknown fields of every wire type are overlooked',
    'v1',
    'ConfigMap',
    [
      ...integer(99, 5),
      ...[...tag(98, 1), 1, 2, 3, 4, 5, 6, 7, 8],
      ...delimited(97, 'x'),
      ...[...tag(96, 5), 1, 2, 3, 4],
      ...[...tag(95, 3), ...integer(1, 7), ...tag(2, 3), ...tag(2, 4), ...tag(95, 4)],
      ...entry(2, 'k', 'v'),
    ],
    { data: { k: 'v' } },
  ],
  [
    'times are whole seconds, micro times are not',
    'coordination.k8s.io/v1',
    'Lease',
    [
      ...delimited(1, delimited(8, [...integer(1, 1_700_000_000), ...integer(2, 999_999_999)])),
      ...delimited(2, delimited(4, [...integer(1, 1_700_000_000), ...integer(2, 1_234_567)])),
    ],
    {
      metadata: { creationTimestamp: '2023-11-14T22:13:20Z' },
      spec: { renewTime: '2023-11-14T22:13:20.001234Z' },
    },
  ],
  [
    'times before 1970',
    'v1',
    'ConfigMap',
    delimited(1, delimited(8, integer(1, -1n))),
    { metadata: { creationTimestamp: '1969-12-31T23:59:59Z' } },
  ],
  [
    'negative integers',
    'coordination.k8s.io/v1',
    'Lease',
    delimited(2, integer(2, -7n)),
    { spec: { leaseDurationSeconds: -7 } },
  ],
  [
    'a port is a number or a name',
    'v1',
    'Service',
    delimited(2, [
      ...delimited(1, delimited(4, [...integer(1, 0), ...integer(2, 8080), ...delimited(3, '')])),
      ...delimited(1, delimited(4, [...integer(1, 1), ...integer(2, 0), ...delimited(3, 'http')])),
    ]),
    { spec: { ports: [{ targetPort: 8080 }, { targetPort: 'http' }] } },
  ],
  [
    'quantities are texts',
    'v1',
    'ResourceQuota',
    delimited(2, entry(1, 'pods', delimited(1, '10'))),
    { spec: { hard: { pods: '10' } } },
  ],
  [
    'quantities lie in lists too',
    'v1',
    'LimitRange',
    delimited(
      2,
      delimited(1, [
        ...delimited(1, 'Container'),
        ...entry(3, 'cpu', delimited(1, '100m')),
        ...entry(6, 'cpu', []),
      ]),
    ),
    { spec: { limits: [{ type: 'Container', min: { cpu: '100m' }, maxLimitRequestRatio: { cpu: '0' } }] } },
  ],
  [
    'numbers come one by one or packed',
    'v1',
    'PodTemplate',
    delimited(
      2,
      delimited(2, delimited(14, [...integer(4, 1), ...delimited(4, [...varint(2), ...varint(300)])])),
    ),
    { template: { spec: { securityContext: { supplementalGroups: [1, 2, 300] } } } },
  ],
  [
    'what is embedded in Go stands among the other fields',
    'v1',
    'PodTemplate',
    delimited(2, delimited(2, delimited(1, [...delimited(1, 'v'), ...delimited(2, delimited(2, []))]))),
    { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } },
  ],
  [
    'named lists are lists',
    'authentication.k8s.io/v1',
    'TokenReview',
    delimited(3, delimited(2, entry(4, 'scopes', delimited(1, 'a')))),
    { status: { user: { extra: { scopes: ['a'] } } } },
  ],
  [
    'a schema or a boolean',
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    delimited(
      2,
      delimited(
        7,
        delimited(
          4,
          delimited(1, [
            ...delimited(30, [...integer(1, 0)]),
            ...delimited(33, [...integer(1, 1), ...delimited(2, delimited(5, 'string'))]),
            ...delimited(8, delimited(1, '{"a":[1]}')),
          ]),
        ),
      ),
    ),
    {
      spec: {
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                additionalProperties: false,
                additionalItems: { type: 'string' },
                default: { a: [1] },
              },
            },
          },
        ],
      },
    },
  ],
  [
    'options are the same under every group',
    'coordination.k8s.io/v1',
    'DeleteOptions',
    [...integer(1, 0), ...delimited(2, delimited(1, 'u')), ...delimited(4, 'Orphan'), ...delimited(5, 'All')],
    { gracePeriodSeconds: 0, preconditions: { uid: 'u' }, propagationPolicy: 'Orphan', dryRun: ['All'] },
  ],
]
for (const [name, apiVersion, kind, raw, want] of decoded) {
  test(`protobuf: ${name}`, () => assert.deepEqual(decode(apiVersion, kind, raw), want))
}

test('protobuf: integers beyond 2^53 keep their digits', () => {
  const { metadata } = decode('v1', 'ConfigMap', delimited(1, integer(7, 9_007_199_254_740_993n)))
  assert.equal(JSON.stringify(metadata), '{"generation":9007199254740993}')
})

test('protobuf: __proto__ is a key like any other', () => {
  const { data } = decode('v1', 'ConfigMap', entry(2, '__proto__', 'x'))
  assert.equal(Object.getPrototypeOf(data), Object.prototype)
  assert.equal(JSON.stringify(data), '{"__proto__":"x"}')
})

const malformed: ReadonlyArray<[name: string, raw: readonly number[], text: string]> = [
  ['ends within a tag', [0x80], 'unexpected EOF'],
  ['ends within a length', [...tag(1, 2), 0x80], 'unexpected EOF'],
  ['ends within a field', [...tag(1, 2), 5, 1], 'unexpected EOF'],
  ['has a length beyond all memory', [...tag(1, 2), ...varint(2n ** 40n)], 'unexpected EOF'],
  [
    'has a negative length',
    [...tag(1, 2), ...varint(-1n)],
    'proto: negative length found during unmarshaling',
  ],
  ['has an endless varint', [...tag(4, 0), ...Array<number>(11).fill(0x80)], 'proto: integer overflow'],
  ['has a field 0', [0], 'proto: ConfigMap: illegal tag 0 (wire type 0)'],
  ['has the wrong wire type', integer(1, 1), 'proto: wrong wireType = 0 for field ObjectMeta'],
  [
    'has the wrong wire type in a map',
    delimited(2, integer(1, 1)),
    'proto: wrong wireType = 0 for field Key',
  ],
  ['has an unknown wire type', [...tag(99, 7)], 'proto: illegal wireType 7'],
  ['ends a group that never began', tag(9, 4), 'proto: ConfigMap: wiretype end group for non-group'],
  ['never ends a group', [...tag(99, 3), ...integer(1, 1)], 'unexpected EOF'],
  [
    'has a year beyond all numbers',
    delimited(1, delimited(8, integer(1, 2n ** 62n + 1n))),
    'Time.MarshalJSON: year outside of range [0,9999]',
  ],
  [
    'has a year of five digits',
    delimited(1, delimited(8, integer(1, 253_402_300_800n))),
    'Time.MarshalJSON: year outside of range [0,9999]',
  ],
]
for (const [name, raw, text] of malformed) {
  test(`protobuf: a message that ${name} is refused`, () => {
    assert.throws(() => decode('v1', 'ConfigMap', raw), new MalformedProtobuf(text))
  })
}

test('protobuf: groups within groups are no way to the end of the stack', () => {
  const groups = Array<number[]>(200_000).fill(tag(1, 3)).flat()
  assert.throws(() => decode('v1', 'ConfigMap', [...tag(99, 3), ...groups]), /unexpected EOF/)
})

test('protobuf: messages within messages neither', () => {
  let schema: number[] = delimited(5, 'object')
  for (let depth = 0; depth < 300; depth++) schema = delimited(28, schema)
  const raw = delimited(2, delimited(7, delimited(4, delimited(1, schema))))
  assert.throws(() => decode('apiextensions.k8s.io/v1', 'CustomResourceDefinition', raw), /nested too deeply/)
})

const envelopes: ReadonlyArray<[name: string, bytes: Uint8Array, text: string]> = [
  ['nothing', new Uint8Array(), 'empty data'],
  [
    'JSON',
    new TextEncoder().encode('{}'),
    'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  ],
  ['only the prefix', Uint8Array.of(0x6b, 0x38, 0x73, 0), 'empty body'],
  ['half an envelope', envelope('v1', 'ConfigMap', []).subarray(0, 12), 'unexpected EOF'],
]
for (const [name, bytes, text] of envelopes) {
  test(`protobuf: ${name} is no envelope`, () => {
    assert.throws(() => openEnvelope(bytes), new MalformedProtobuf(text))
  })
}

test('protobuf: an envelope says what is in it', () => {
  const { apiVersion, kind, raw } = openEnvelope(envelope('v1', 'Secret', delimited(3, 'Opaque')))
  assert.deepEqual([apiVersion, kind], ['v1', 'Secret'])
  assert.deepEqual(decode(apiVersion, kind, [...raw]), { type: 'Opaque' })
})

const strangers: ReadonlyArray<[apiVersion: string, kind: string]> = [
  ['lighthouse.example.dev/v1', 'Beacon'],
  ['v1', 'NamespaceSpec'],
  ['v1', '.*'],
  ['v1', '__proto__'],
  ['constructor', 'Lease'],
  ['', ''],
]
for (const [apiVersion, kind] of strangers) {
  test(`protobuf: there is no message for ${kind} of ${apiVersion}`, () =>
    assert.equal(protobufMessage(apiVersion, kind), undefined))
}

test('protobuf: every field of every table has a type that exists', () => {
  const messages = everyMessage()
  assert.ok(messages.length > 250)
  for (const { name, fields } of messages) {
    for (const field of fields.values()) {
      if (typeof field.type !== 'string') assert.ok(field.type().name, `${name}.${field.name}`)
    }
  }
})
