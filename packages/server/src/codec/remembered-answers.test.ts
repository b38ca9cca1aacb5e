import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@strata/api'
import { ConversionPending } from './converter.ts'
import { RememberedAnswers } from './remembered-answers.ts'

const object = (name: string, text = 'x', managedFields?: readonly unknown[]): ApiObject =>
  ({
    apiVersion: 'example.org/v1',
    kind: 'Gadget',
    metadata: { name, ...(managedFields ? { managedFields } : {}) },
    spec: { text },
  }) as ApiObject

interface Scene {
  nowMs: number
  readonly answers: RememberedAnswers
  readonly questions: (readonly ApiObject[])[]
}

function setUp(
  convert = (objects: readonly ApiObject[], apiVersion: string) =>
    objects.map((each) => ({ ...each, apiVersion })),
): Scene {
  const questions: (readonly ApiObject[])[] = []
  const scene = { nowMs: 0, questions }
  const answers = new RememberedAnswers({
    needsWebhook: true,
    nowMs: () => scene.nowMs,
    convert: async (objects, apiVersion) => {
      questions.push(objects)
      return convert(objects, apiVersion)
    },
  })
  return Object.assign(scene, { answers })
}

async function answered(
  { answers }: Scene,
  asked: ApiObject,
  apiVersion = 'example.org/v2',
): Promise<ApiObject> {
  try {
    return answers.of(asked, apiVersion)
  } catch (error) {
    assert.ok(error instanceof ConversionPending)
    await error.ask()
    return answers.of(asked, apiVersion)
  }
}

test('remembered answers: a question is asked once, and each answer is an object of its own', async () => {
  const scene = setUp()
  const first = await answered(scene, object('one'))
  const second = await answered(scene, object('one'))
  assert.deepEqual(first, { ...object('one'), apiVersion: 'example.org/v2' })
  assert.deepEqual(second, first)
  assert.notEqual(second, first)
  assert.notEqual(second.metadata, first.metadata)
  assert.equal(scene.questions.length, 1)
})

test('remembered answers: another object, or another version, is another question', async () => {
  const scene = setUp()
  await answered(scene, object('one'))
  await answered(scene, object('one', 'y'))
  await answered(scene, object('one'), 'example.org/v3')
  assert.equal(scene.questions.length, 3)
})

test('remembered answers: owners of fields are no part of the question, and come back as they were', async () => {
  const scene = setUp()
  const [early, late] = [[{ manager: 'a', time: '1' }], [{ manager: 'a', time: '2' }]]
  const first = await answered(scene, object('one', 'x', early))
  const second = await answered(scene, object('one', 'x', late))
  assert.deepEqual(first.metadata.managedFields, early)
  assert.deepEqual(second.metadata.managedFields, late)
  assert.equal(scene.questions.length, 1)
  assert.equal(scene.questions[0]?.[0]?.metadata.managedFields, undefined)
})

test('remembered answers: the oldest are forgotten, the newest never', async () => {
  const scene = setUp()
  const large = 'x'.repeat(3 * 1024 * 1024)
  for (const name of ['one', 'two', 'three']) await answered(scene, object(name, large))
  assert.throws(() => scene.answers.of(object('one', large), 'example.org/v2'), ConversionPending)
  assert.equal(scene.answers.of(object('three', large), 'example.org/v2').metadata.name, 'three')
  const huge = 'x'.repeat(9 * 1024 * 1024)
  assert.equal((await answered(scene, object('huge', huge))).metadata.name, 'huge')
})

test('remembered answers: an empty answer is no answer', async () => {
  const scene = setUp(() => [])
  await assert.rejects(answered(scene, object('one')), /fewer objects/)
})

test('remembered answers: long answers to short questions are forgotten sooner', async () => {
  const long = 'x'.repeat(3 * 1024 * 1024)
  const scene = setUp((objects, apiVersion) =>
    objects.map((each) => ({ ...each, apiVersion, spec: { text: long } })),
  )
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await answered(scene, object(name))
  const before = scene.questions.length
  await answered(scene, object('f'))
  assert.equal(scene.questions.length, before)
  await answered(scene, object('a'))
  assert.equal(scene.questions.length, before + 1)
})

test('remembered answers: an answer is kept no longer than a request takes', async () => {
  const scene = setUp()
  await answered(scene, object('one'))
  scene.nowMs = 59_000
  await answered(scene, object('one'))
  assert.equal(scene.questions.length, 1)
  scene.nowMs = 61_000
  await answered(scene, object('one'))
  assert.equal(scene.questions.length, 2)
})
