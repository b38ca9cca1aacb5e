import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { compileStructuralSchema, type JsonSchemaProps, type Schema } from '@strata/api'
import { generateInstance } from '@strata/rehearsal/generate'
import type { Found } from './find-instance.ts'
import type { Json, Operator } from './operator.ts'
import {
  hasWebhook,
  isOutOfReach,
  kindIn,
  noWebhook,
  type PublishedKind,
  servedVersions,
  storageVersion,
} from './published-kind.ts'

const labels = { 'strata.dev/round': 'second' }

/** The life of instances of many kinds, from creation to deletion, each in one version; those in others see it too. */
export async function live(operator: Operator, all: readonly Found[]): Promise<{ changedSpecs: number }> {
  const list = listOf(all.map(({ instance }) => instance))
  const created = await operator.good(['create', '--validate=strict', '-f', '-'], list)
  assert.equal(created.match(/ created$/gm)?.length, all.length, created)
  const read = itemsOf(await operator.good(['get', '-f', '-', '-o', 'json'], list))
  for (const [index, { kind, instance }] of all.entries()) {
    assert.equal(read[index]?.apiVersion, instance.apiVersion)
    assertHolds(asStored(kind, instance), read[index], instance.kind)
  }
  let changedSpecs = 0
  for (const [index, found] of all.entries()) {
    if (await change(operator, found, read[index])) changedSpecs += 1
  }
  const annotated = all.map(({ instance: { metadata, ...rest } }) => ({
    ...rest,
    metadata: { ...metadata, annotations: { applied: 'yes' } },
  }))
  const flags = ['--server-side', '--force-conflicts', '--field-manager=second']
  const applied = await operator.good(['apply', ...flags, '-f', '-'], listOf(annotated))
  assert.equal(applied.match(/ serverside-applied$/gm)?.length, all.length, applied)
  await seeInEveryVersion(operator, all, read)
  await operator.good(['delete', '-f', '-'], list)
  for (const { kind, instance } of all) {
    assert.equal((await operator.ask('GET', pathOf({ kind, instance }))).status, 404)
  }
  return { changedSpecs }
}

/** A label always, and something in the spec if its rules allow that. The change is watched. */
async function change(operator: Operator, { kind, instance }: Found, before: Json): Promise<boolean> {
  const target = pathOf({ kind, instance })
  // Fields that the storage version does not know are gone, and without them this version is invalid: upstream too.
  if (!kind.spec.storage && compileStructuralSchema(kind.schema as Schema).validate(before).length > 0) {
    assert.ok([200, 422].includes((await operator.merge(target, { metadata: { labels } })).status), target)
    return false
  }
  const event = await operator.watchOne(kind.path, before.metadata.resourceVersion, async () => {
    const { status, body } = await operator.merge(target, { metadata: { labels } })
    assert.equal(status, 200, `${target}: ${body.message}`)
    assert.deepEqual(body.metadata.labels, labels)
    assert.deepEqual(body.spec, before.spec)
  })
  assert.equal(event.type, 'MODIFIED')
  assert.deepEqual([event.object.metadata.uid, event.object.metadata.labels], [before.metadata.uid, labels])
  for (const patch of specPatches(kind.schema, before)) {
    const { status, body } = await operator.merge(`${target}?fieldValidation=Strict`, patch)
    if (status !== 200) {
      // It may not change, or not like that.
      assert.equal(status, 422, body.message)
      continue
    }
    assertHolds(asStored(kind, patch), body, target)
    // The value may be there already, by default or below.
    if (isDeepStrictEqual(body.spec, before.spec)) continue
    // Where another version is stored, a change that does not reach it counts as one too, as upstream.
    if (kind.spec.storage) assert.equal(body.metadata.generation, before.metadata.generation + 1)
    else assert.ok(body.metadata.generation > before.metadata.generation)
    return true
  }
  return false
}

/** Other values for single fields of the spec. */
function* specPatches(schema: JsonSchemaProps, before: Json): Generator<Json> {
  const specSchema = schema.properties?.['spec']
  if (!specSchema?.properties || !before.spec) return
  for (const field of Object.keys(specSchema.properties).slice(0, 30)) {
    for (const seed of ['x', 'y']) {
      const only: JsonSchemaProps = {
        type: 'object',
        properties: { [field]: specSchema.properties[field] ?? {} },
      }
      const names = { apiVersion: '', kind: '', name: '', withFields: [field] }
      const value = generateInstance({ schema: only, seed, share: 0.1, ...names })[field]
      if (value === null || JSON.stringify(value) === JSON.stringify(before.spec[field])) continue
      yield { spec: { [field]: value } }
      break
    }
  }
}

async function seeInEveryVersion(
  operator: Operator,
  all: readonly Found[],
  read: readonly Json[],
): Promise<void> {
  for (const [index, { kind, instance }] of all.entries()) {
    for (const other of servedVersions(kind.crd)) {
      const inOther = kindIn(kind.crd, other)
      if (isOutOfReach(inOther)) {
        const { status, body } = await operator.ask('GET', pathOf({ kind: inOther, instance }))
        assert.deepEqual([status, noWebhook.test(body.message)], [500, true], body.message)
        continue
      }
      const { status, body: listed } = await operator.ask('GET', inOther.path)
      if (status !== 200) {
        // Something else is stored in a version that only the webhook can convert; this one is still reachable.
        assert.ok(
          hasWebhook(kind.crd) && noWebhook.test(listed.message),
          `${inOther.path}: ${listed.message}`,
        )
        await operator.must('GET', pathOf({ kind: inOther, instance }))
        continue
      }
      assert.equal(listed.kind, kind.crd.spec.names.listKind ?? `${instance.kind}List`)
      const item = listed.items.find((each: Json) => each.metadata.name === instance.metadata.name)
      assert.equal(item?.metadata.uid, read[index]?.metadata.uid, inOther.path)
      assert.equal(item.apiVersion, inOther.apiVersion)
      assert.deepEqual(item.metadata.annotations, { applied: 'yes' })
    }
  }
}

/** Fields that the storage version does not know are dropped, as upstream does. */
function asStored({ crd, spec }: PublishedKind, sent: Json): Json {
  if (spec.storage) return sent
  const { schema } = kindIn(crd, storageVersion(crd))
  const stored = { metadata: {}, ...structuredClone(sent) }
  compileStructuralSchema(schema as Schema).prune(stored)
  return stored
}

/** Everything that was sent is there; more may be, for there are defaults. Where null is not allowed it is dropped. */
export function assertHolds(sent: Json, got: Json, path: string): void {
  if (sent === null) return
  if (typeof sent !== 'object') {
    assert.deepEqual(got, sent, path)
    return
  }
  assert.equal(Array.isArray(got), Array.isArray(sent), path)
  assert.ok(got !== null && typeof got === 'object', path)
  if (Array.isArray(sent)) assert.equal(got.length, sent.length, path)
  for (const [field, value] of Object.entries(sent)) assertHolds(value, got[field], `${path}.${field}`)
}

export function pathOf({ kind, instance }: Pick<Found, 'kind' | 'instance'>): string {
  return `${kind.path}/${instance.metadata.name}`
}

function listOf(items: readonly unknown[]): object {
  return { apiVersion: 'v1', kind: 'List', items }
}

/** kubectl shows one object as itself. */
function itemsOf(output: string): Json[] {
  const shown = JSON.parse(output)
  return shown.kind === 'List' ? shown.items : [shown]
}
