import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject, CustomResourceDefinition, JsonSchemaProps } from '@strata/api'
import { compareReturned, lossJudge } from './decide-loss.ts'

type Versions = Readonly<Record<string, JsonSchemaProps>>

const text: JsonSchemaProps = { type: 'string' }
const number: JsonSchemaProps = { type: 'integer' }

function withSpec(properties: Record<string, JsonSchemaProps>, more: JsonSchemaProps = {}): JsonSchemaProps {
  return { type: 'object', properties: { spec: { type: 'object', properties, ...more } } }
}

/** The first version is the storage version; those whose name ends with `!` are not served. */
function crdOf(versions: Versions, preserveUnknownFields = false): CustomResourceDefinition {
  const all = Object.entries(versions).map(([name, schema], index) => ({
    name: name.replace('!', ''),
    served: !name.endsWith('!'),
    storage: index === 0,
    schema: { openAPIV3Schema: schema },
  }))
  return {
    metadata: { name: 'lamps.example.dev' },
    spec: {
      group: 'example.dev',
      names: { plural: 'lamps', kind: 'Lamp' },
      scope: 'Namespaced',
      versions: all,
      preserveUnknownFields,
    },
    status: { conditions: null, acceptedNames: { plural: 'lamps', kind: 'Lamp' }, storedVersions: ['v1'] },
  }
}

function lamp(spec: unknown, versionName = 'v1'): ApiObject {
  const metadata = { name: 'one', namespace: 'default', uid: 'u', resourceVersion: '7', generation: 1 }
  return { apiVersion: `example.dev/${versionName}`, kind: 'Lamp', metadata, spec }
}

interface Want {
  readonly stored?: unknown
  readonly lost?: readonly string[]
  readonly changed?: readonly string[]
  readonly added?: readonly string[]
  readonly hidden?: readonly string[]
  readonly refusals?: readonly (string | RegExp)[]
  readonly tolerated?: readonly (string | RegExp)[]
}

interface Row {
  readonly name: string
  readonly today: CustomResourceDefinition
  readonly next: CustomResourceDefinition
  readonly subject: ApiObject
  readonly want: Want
}

const old = withSpec({ color: text, watts: number })

const rows: readonly Row[] = [
  {
    name: 'both versions know the same',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: old, v1: old }),
    subject: lamp({ color: 'red', watts: 5 }),
    want: { stored: { color: 'red', watts: 5 } },
  },
  {
    name: 'the new storage version prunes a field',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: withSpec({ color: text }), v1: old }),
    subject: lamp({ color: 'red', watts: 5 }),
    want: { stored: { color: 'red' }, lost: ['spec.watts'] },
  },
  {
    name: 'the version of the object prunes first, though the storage version would keep the field',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: old, v1: withSpec({ color: text }) }),
    subject: lamp({ color: 'red', watts: 5 }),
    want: { stored: { color: 'red' }, lost: ['spec.watts'] },
  },
  {
    name: 'a default of the new storage version',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: withSpec({ color: text, watts: { ...number, default: 40 } }), v1: old }),
    subject: lamp({ color: 'red' }),
    want: { stored: { color: 'red', watts: 40 }, added: ['spec.watts'] },
  },
  {
    name: 'a default in place of a field that the version of the object no longer has',
    today: crdOf({ v1: old }),
    next: crdOf({
      v2: withSpec({ color: text, watts: { ...number, default: 40 } }),
      v1: withSpec({ color: text }),
    }),
    subject: lamp({ color: 'red', watts: 5 }),
    want: {
      stored: { color: 'red', watts: 40 },
      changed: ['spec.watts'],
      hidden: ['example.dev/v1 spec.watts'],
    },
  },
  {
    name: 'a default that the storage version prunes was never there',
    today: crdOf({ v1: withSpec({ color: text }) }),
    next: crdOf({
      v2: withSpec({ color: text }),
      v1: withSpec({ color: text, watts: { ...number, default: 40 } }),
    }),
    subject: lamp({ color: 'red' }),
    want: { stored: { color: 'red' } },
  },
  {
    name: 'a version that stays served shows less',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: old, v1: old, v1beta1: withSpec({ color: text }) }),
    subject: lamp({ color: 'red', watts: 5 }),
    want: {},
  },
  {
    name: 'the same version loses a property, and another one stores it',
    today: crdOf({ v1: old, v1beta1: old }),
    next: crdOf({ v1: old, v1beta1: withSpec({ color: text }) }),
    subject: lamp({ color: 'red', watts: 5 }),
    want: { hidden: ['example.dev/v1beta1 spec.watts'] },
  },
  {
    name: 'preserveUnknownFields ends',
    today: crdOf({ v1: old }, true),
    next: crdOf({ v1: old }),
    subject: lamp({ color: 'red', extra: { a: 1 } }),
    want: { stored: { color: 'red' }, lost: ['spec.extra'] },
  },
  {
    name: 'x-kubernetes-preserve-unknown-fields ends',
    today: crdOf({ v1: withSpec({}, { 'x-kubernetes-preserve-unknown-fields': true }) }),
    next: crdOf({ v1: withSpec({ color: text }) }),
    subject: lamp({ color: 'red', extra: 1 }),
    want: { stored: { color: 'red' }, lost: ['spec.extra'] },
  },
  {
    name: 'a new required field refuses the write: the type around it is unchanged and so tolerated',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: withSpec({ color: text, room: text }, { required: ['room'] }), v1: old }),
    subject: lamp({ color: 'red' }),
    want: { tolerated: [/spec\.room: Required value/] },
  },
  {
    name: 'a default beside it changes the object, and nothing is tolerated',
    today: crdOf({ v1: old }),
    next: crdOf({
      v2: withSpec({ color: text, room: text, watts: { ...number, default: 3 } }, { required: ['room'] }),
      v1: old,
    }),
    subject: lamp({ color: 'red' }),
    want: { added: ['spec.watts'], refusals: [/spec\.room: Required value/] },
  },
  {
    name: 'an enum that shrank is tolerated while its field is unchanged',
    today: crdOf({ v1: old }),
    next: crdOf({ v2: withSpec({ color: { ...text, enum: ['blue'] }, watts: number }), v1: old }),
    subject: lamp({ color: 'red' }),
    want: { tolerated: [/spec\.color: Unsupported value: "red"/] },
  },
  {
    name: 'a rule that the unchanged object breaks is tolerated; a transition rule runs',
    today: crdOf({ v1: old }),
    next: crdOf({
      v2: withSpec(
        { color: text, watts: number },
        { 'x-kubernetes-validations': [{ rule: "self.color == 'blue'", message: 'must be blue' }] },
      ),
      v1: old,
    }),
    subject: lamp({ color: 'red' }),
    want: { tolerated: [/spec: Invalid value: .*must be blue/] },
  },
  {
    name: 'a type that became narrower',
    today: crdOf({ v1: withSpec({ watts: { 'x-kubernetes-int-or-string': true } }) }),
    next: crdOf({ v1: withSpec({ watts: number }) }),
    subject: lamp({ watts: '5' }),
    want: { tolerated: [/spec\.watts: Invalid value: "string"/] },
  },
]

const matches = (found: readonly string[], want: readonly (string | RegExp)[], what: string): void => {
  assert.equal(found.length, want.length, `${what}: ${found.join('; ')}`)
  for (const [index, each] of want.entries()) {
    if (typeof each === 'string') assert.equal(found[index], each)
    else assert.match(found[index] ?? '', each)
  }
}

for (const { name, today, next, subject, want } of rows) {
  test(`loss: ${name}`, () => {
    const untouched = structuredClone(subject)
    const found = lossJudge({ today, next }).compare(subject)
    assert.deepEqual(subject, untouched)
    assert.ok(found.outcome === 'compared', JSON.stringify(found))
    const pathsOf = (all: readonly { path: string }[]): string[] => all.map(({ path }) => path)
    assert.deepEqual(pathsOf(found.lost), want.lost ?? [])
    assert.deepEqual(pathsOf(found.changed), want.changed ?? [])
    assert.deepEqual(pathsOf(found.added), want.added ?? [])
    assert.deepEqual(
      found.hidden.map(({ apiVersion, path }) => `${apiVersion} ${path}`),
      want.hidden ?? [],
    )
    matches(found.refusals, want.refusals ?? [], 'refusals')
    matches(found.tolerated, want.tolerated ?? [], 'tolerated')
    if (want.stored !== undefined) assert.deepEqual(found.stored['spec'], want.stored)
  })
}

test('loss: a version that the next CRD does not have', () => {
  const judge = lossJudge({ today: crdOf({ v1: old }), next: crdOf({ v2: old }) })
  assert.deepEqual(judge.compare(lamp({})), {
    outcome: 'unreadable',
    reason: 'the CRD has no version example.dev/v1',
  })
})

test('loss: what a webhook forgets is not there when the object returns', () => {
  const returned = {
    ...lamp({ color: 'Red', more: 1 }),
    metadata: { name: 'one', namespace: 'default', uid: 'u' },
  }
  const { lost, changed } = compareReturned(lamp({ color: 'red', watts: 5 }), returned)
  assert.deepEqual(
    [lost.map(({ path }) => path), changed.map(({ path }) => path)],
    [['spec.watts'], ['spec.color']],
  )
})
