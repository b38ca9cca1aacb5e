import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps } from '../../core/config-map.ts'
import type { ApiObject } from '../../meta/object.ts'
import { objectSchema } from '../identity-version.ts'
import type { Schema } from '../schema.ts'
import { blankObject } from './blank-object.ts'
import { fieldSetOf } from './field-set.ts'
import type { ManagedFieldsEntry } from './managed-entry.ts'
import { sameButForManagedTimes } from './same-but-for-times.ts'
import { type ManagedFieldsUpdate, updateManagedFields } from './update-managed-fields.ts'

const text: Schema = { type: 'string' }
const configMapSchema = configMaps.versions['v1']?.schema ?? {}
const morning = '2024-01-02T08:00:00Z'
const noon = '2024-01-02T12:00:00Z'

interface Step extends Partial<Omit<ManagedFieldsUpdate, 'next'>> {
  /** What is sent, without metadata of the system and without managedFields. */
  readonly next: { readonly metadata?: object; readonly [field: string]: unknown }
}

/** Writes one object after another, as a server does; what the client leaves out of managedFields is kept. */
function play(steps: readonly Step[]): readonly ManagedFieldsEntry[] | undefined {
  let stored: ApiObject | undefined
  let managedFields: readonly ManagedFieldsEntry[] | undefined
  for (const { next: sent, ...rest } of steps) {
    const next = { kind: 'X', ...sent, metadata: { name: 'x', uid: 'u', ...sent.metadata } }
    managedFields = updateManagedFields({
      stored,
      next,
      schema: configMapSchema,
      apiVersion: 'v1',
      manager: 'golden',
      time: morning,
      inVersion: () => undefined,
      ...rest,
    })
    const { managedFields: _sent, ...metadata } = next.metadata as { managedFields?: unknown; name: string }
    stored = { ...next, metadata: { ...metadata, ...(managedFields ? { managedFields } : {}) } }
  }
  return managedFields
}

const entry = (fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: 'golden',
  operation: 'Update',
  apiVersion: 'v1',
  time: morning,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

const leaseSchema = objectSchema({
  spec: {
    type: 'object',
    default: {},
    properties: { holderIdentity: text, renewTime: text, strategy: text },
  },
})
const lease = { schema: leaseSchema, blank: blankObject(leaseSchema), apiVersion: 'coordination.k8s.io/v1' }

const eventSchema = objectSchema({
  involvedObject: {
    type: 'object',
    default: {},
    'x-kubernetes-map-type': 'atomic',
    properties: { kind: text },
  },
  source: { type: 'object', default: {}, properties: { component: text } },
  reason: text,
  count: { type: 'integer' },
})
const event = { schema: eventSchema, blank: blankObject(eventSchema) }
const created = {
  involvedObject: { kind: 'ConfigMap' },
  source: { component: 'golden' },
  reason: 'Tested',
  count: 1,
}
const eventFields = {
  'f:count': {},
  'f:involvedObject': {},
  'f:reason': {},
  'f:source': { 'f:component': {} },
}

const scaler = {
  schema: objectSchema({
    spec: { type: 'object', properties: { replicas: { type: 'integer' }, x: text } },
    status: { type: 'object', properties: { phase: text } },
  }),
  resetFields: fieldSetOf(['f:status']),
}
const scalerStatus = { ...scaler, subresource: 'status', resetFields: fieldSetOf(['f:spec'], ['f:metadata']) }
const spec = { replicas: 1, x: 'a' }
const specFields = { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:x': {} } }

/** What a kube-apiserver 1.36.4 was recorded to answer. */
const recorded: ReadonlyArray<
  [name: string, steps: readonly Step[], want: readonly ManagedFieldsEntry[] | undefined]
> = [
  [
    'patch: create, then add and remove keys',
    [
      { next: { metadata: { labels: { l: '1' } }, data: { a: '1', b: '2' } } },
      { next: { metadata: { labels: { l: '1' } }, data: { b: '2', c: '3' } } },
    ],
    [
      entry({
        'f:data': { '.': {}, 'f:b': {}, 'f:c': {} },
        'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
      }),
    ],
  ],
  [
    'patch: finalizers are a set',
    [
      { next: { metadata: { finalizers: ['golden.dev/a', 'golden.dev/b'] } } },
      { next: { metadata: { finalizers: ['golden.dev/b'] } } },
    ],
    [entry({ 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"golden.dev/b"': {} } } })],
  ],
  [
    'namespaces: the last owned field goes, and managedFields with it',
    [{ next: { metadata: { finalizers: ['golden.dev/h'] } } }, { next: {} }],
    undefined,
  ],
  [
    'concurrency: generateName is owned',
    [{ next: { metadata: { generateName: 'gen-' } } }],
    [entry({ 'f:metadata': { 'f:generateName': {} } })],
  ],
  [
    'leases: structs are not owned themselves',
    [
      { ...lease, next: { spec: { holderIdentity: 'me', renewTime: 't' } } },
      { ...lease, next: { spec: { renewTime: 't' } } },
    ],
    [entry({ 'f:spec': { 'f:renewTime': {} } }, { apiVersion: 'coordination.k8s.io/v1' })],
  ],
  ['events: references are owned whole', [{ ...event, next: created }], [entry(eventFields)]],
  [
    'cr-subresources: status through the main endpoint',
    [{ ...scaler, next: { spec, status: { phase: 'Set' } } }],
    [entry(specFields)],
  ],
  [
    'cr-subresources: the status endpoint has an entry of its own',
    [
      { ...scaler, next: { spec } },
      {
        ...scalerStatus,
        next: { metadata: { labels: { l: '1' } }, spec: { replicas: 9 }, status: { phase: 'Ok' } },
      },
    ],
    [entry(specFields), entry({ 'f:status': { '.': {}, 'f:phase': {} } }, { subresource: 'status' })],
  ],
  [
    'cr-subresources: scale takes replicas',
    [
      { ...scaler, next: { spec } },
      { ...scaler, subresource: 'scale', next: { spec: { replicas: 2, x: 'a' } } },
    ],
    [
      entry({ 'f:spec': { '.': {}, 'f:x': {} } }),
      entry({ 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' }),
    ],
  ],
]
for (const [name, steps, want] of recorded) {
  test(`managedFields as recorded: ${name}`, () => assert.deepEqual(play(steps), want))
}

test('managedFields as recorded: an update takes fields from appliers', () => {
  const applied = (manager: string, fieldsV1: object) => entry(fieldsV1, { manager, operation: 'Apply' })
  const labels = { 'f:metadata': { 'f:labels': { 'f:l': {} } } }
  const { time: _time, ...timeless } = applied('three', { 'f:data': { 'f:a': {} } })
  const managedFields = [
    applied('one', { 'f:data': {}, ...labels }),
    timeless,
    applied('two', { 'f:data': {} }),
  ]
  const stored = { metadata: { name: 's', labels: { l: '1' }, managedFields }, data: { a: 'x' } }
  const want = [
    applied('one', { 'f:data': {}, ...labels }),
    applied('two', { 'f:data': {} }),
    entry({ 'f:data': { 'f:a': {} } }, { manager: 'updater', time: noon }),
  ]
  const next = { metadata: { labels: { l: '1' } }, data: { a: 'u' } }
  assert.deepEqual(play([{ stored, next, manager: 'updater', time: noon }]), want)
})

const one: Step = { next: { data: { a: '1' } } }
const owned = { 'f:data': { '.': {}, 'f:a': {} } }
const bogus = { ...entry({ 'f:data': {} }), operation: 'Own' }
const sending = (managedFields: unknown, data: object = { a: '1' }): Step => ({
  next: { metadata: { managedFields }, data },
})

const behaviour: ReadonlyArray<
  [name: string, steps: readonly Step[], want: readonly ManagedFieldsEntry[] | undefined]
> = [
  ['nothing changed, so the time stays', [one, { ...one, time: noon }], [entry(owned)]],
  [
    'another manager who changes nothing gets nothing',
    [one, { ...one, manager: 'b', time: noon }],
    [entry(owned)],
  ],
  [
    'a changed value moves the time',
    [one, { next: { data: { a: '2' } }, time: noon }],
    [entry(owned, { time: noon })],
  ],
  [
    'a removal moves no time',
    [{ next: { data: { a: '1', b: '2' } } }, { ...one, time: noon }],
    [entry(owned)],
  ],
  [
    'a changed value changes hands',
    [one, { next: { data: { a: '2' } }, manager: 'b', time: noon }],
    [entry({ 'f:data': {} }), entry({ 'f:data': { 'f:a': {} } }, { manager: 'b', time: noon })],
  ],
  [
    'a manager who has nothing left is gone',
    [one, { next: { metadata: { labels: { x: 'y' } } }, manager: 'b' }],
    [entry({ 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } }, { manager: 'b' })],
  ],
  ['no name is unknown', [{ ...one, manager: '' }], [entry(owned, { manager: 'unknown' })]],
  ['null keeps', [one, sending(null)], [entry(owned)]],
  ['unreadable keeps', [one, sending([bogus])], [entry(owned)]],
  ['the list that was read keeps', [one, sending([entry(owned)])], [entry(owned)]],
  ['an empty list resets', [one, sending([])], undefined],
  ['one empty entry resets', [one, sending([{}])], undefined],
  ['after a reset nothing is tracked', [one, sending([]), { next: { data: { a: '2' } } }], undefined],
  ['a reset at birth is none', [sending([])], [entry(owned)]],
  [
    'a client may rewrite the list',
    [one, sending([entry(owned, { manager: 'c' })])],
    [entry(owned, { manager: 'c' })],
  ],
  ['but not through a subresource', [one, { ...sending([]), subresource: 'status' }], [entry(owned)]],
  [
    'entries of a version that is no more are dropped',
    [one, sending([entry(owned), entry(owned, { apiVersion: 'v0' })])],
    [entry(owned)],
  ],
]
for (const [name, steps, want] of behaviour) {
  test(`managedFields: ${name}`, () => assert.deepEqual(play(steps), want))
}

test('managedFields: the stored list itself comes back when nothing changed', () => {
  const managedFields = play([one])
  const stored = { metadata: { name: 'x', managedFields }, data: { a: '1' } }
  assert.equal(play([{ ...one, stored, time: noon }]), managedFields)
})

test('managedFields: an entry in another version is judged in that version', () => {
  const managedFields = [entry({ 'f:text': {} }, { apiVersion: 'v2' })]
  const stored = { metadata: { name: 'x', managedFields }, data: { a: '1' } }
  const inVersion = () => ({ before: { text: '1' }, after: { text: '2' }, schema: objectSchema({ text }) })
  const want = [entry({ 'f:data': { 'f:a': {} } })]
  assert.deepEqual(play([{ stored, inVersion, next: { data: { a: '2' } } }]), want)
})

test('managedFields: the oldest of more than ten updaters become one', () => {
  const steps = Array.from({ length: 12 }, (_, index) => ({
    next: { data: Object.fromEntries(Array.from({ length: index + 1 }, (__, i) => [`k${i}`, 'x'])) },
    manager: `m${String(index).padStart(2, '0')}`,
    time: `2024-01-01T00:00:${String(index).padStart(2, '0')}Z`,
  }))
  const found = play(steps) ?? []
  assert.equal(found.length, 10)
  assert.deepEqual(
    found[0],
    entry(
      { 'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
      { manager: 'ancient-changes', time: '2024-01-01T00:00:02Z' },
    ),
  )
  assert.deepEqual(
    found.slice(1).map(({ manager }) => manager),
    ['m03', 'm04', 'm05', 'm06', 'm07', 'm08', 'm09', 'm10', 'm11'],
  )
})

test('managedFields: an entry without a time joins the ancient ones, and nothing is lost', () => {
  const { time: _time, ...timeless } = entry({ 'f:data': { 'f:old': {} } }, { manager: 'old' })
  const others = Array.from({ length: 9 }, (_, i) =>
    entry({ 'f:data': { [`f:k${i}`]: {} } }, { manager: `m${i}` }),
  )
  const ancient = entry(
    { 'f:data': { 'f:z': {} } },
    { manager: 'ancient-changes', time: '2023-01-01T00:00:00Z' },
  )
  const stored = { metadata: { name: 'x', managedFields: [timeless, ancient, ...others] }, data: {} }
  const found = play([{ stored, next: { data: { new: '1' } }, time: noon }]) ?? []
  const merged = found.find(({ manager }) => manager === 'ancient-changes')
  assert.equal(found.length, 10)
  assert.deepEqual(merged?.fieldsV1, { 'f:data': { 'f:k0': {}, 'f:old': {}, 'f:z': {} } })
})

test('managedFields: times alone are no change', () => {
  const at = (time: string, data: object) => ({
    metadata: { name: 'x', managedFields: [entry(owned, { time })] },
    data,
  })
  assert.ok(sameButForManagedTimes(at(morning, { a: '1' }), at(noon, { a: '1' })))
  assert.ok(!sameButForManagedTimes(at(morning, { a: '1' }), at(noon, { a: '2' })))
  assert.ok(!sameButForManagedTimes(at(morning, {}), { metadata: { name: 'x' }, data: {} }))
})
