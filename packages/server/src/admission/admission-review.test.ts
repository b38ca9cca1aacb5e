import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseReviewVersion, type ReviewVersion, readAnswer } from './admission-review.ts'

const head = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }
const patch = { patch: Buffer.from('[]').toString('base64'), patchType: 'JSONPatch' }

interface Case {
  readonly review: Record<string, unknown>
  readonly isMutating?: boolean
  readonly reviewVersion?: ReviewVersion
  readonly problem: string
}
const answer = (response: unknown, more: object = {}) => ({ ...head, response, ...more })
const say = (more: object) => answer({ uid: 'u', allowed: true, ...more })

const breaches: Readonly<Record<string, Case>> = {
  'no response': { review: head, problem: 'webhook response was absent' },
  'a null response': { review: answer(null), problem: 'webhook response was absent' },
  'no uid': { review: answer({ allowed: true }), problem: 'expected response.uid="u", got ""' },
  'no kind': {
    review: { response: { uid: 'u' } },
    problem: 'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
  },
  'the older review': {
    review: { ...say({}), apiVersion: 'admission.k8s.io/v1beta1' },
    problem:
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview',
  },
  'a type without a patch': {
    review: say({ patchType: 'JSONPatch' }),
    problem: 'webhook returned response.patchType but not response.patch',
  },
  'an empty type': {
    review: say({ ...patch, patchType: '' }),
    problem: 'webhook returned invalid response.patchType of ""',
  },
  'a patch where none may be': {
    review: say(patch),
    isMutating: false,
    problem: 'validating webhook may not return response.patch',
  },
  'a type where none may be': {
    review: say({ patchType: 'JSONPatch' }),
    isMutating: false,
    problem: 'validating webhook may not return response.patchType',
  },
  'a text for a response': {
    review: answer('yes'),
    problem:
      'json: cannot unmarshal string into Go struct field AdmissionReview.response of type v1.AdmissionResponse',
  },
  'a warning that is a number': {
    review: say({ warnings: [1] }),
    problem:
      'json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string',
  },
  'annotations that are a list': {
    review: say({ auditAnnotations: [] }),
    problem:
      'json: cannot unmarshal array into Go struct field AdmissionResponse.response.auditAnnotations of type map[string]string',
  },
}

for (const [name, { review, isMutating = true, reviewVersion = 'v1', problem }] of Object.entries(breaches)) {
  test(`admission review: ${name}`, () =>
    assert.throws(() => readAnswer(review, reviewVersion, 'u', isMutating), { message: problem }))
}

test('admission review: an answer', () => {
  const status = { message: 'm' }
  const all = { ...patch, status, warnings: ['w'], auditAnnotations: { k: 'v' } }
  assert.deepEqual(readAnswer(say(all), 'v1', 'u', true), {
    ...{ allowed: true, patch: '[]', patchType: 'JSONPatch', warnings: ['w'] },
    ...{ auditAnnotations: { k: 'v' }, result: status },
  })
  const { allowed } = readAnswer(say({ allowed: false }), 'v1', 'u', false)
  assert.equal(allowed, false)
})

test('admission review: the older one was never held to uid, kind and type', () => {
  const { patch: text, patchType } = readAnswer({ response: { patch: patch.patch } }, 'v1beta1', 'u', true)
  assert.deepEqual([text, patchType], ['[]', 'JSONPatch'])
  assert.equal(readAnswer({ response: { patch: patch.patch } }, 'v1beta1', 'u', false).patch, undefined)
})

test('admission review: the first version that both know', () => {
  assert.equal(chooseReviewVersion(['v2', 'v1beta1', 'v1']), 'v1beta1')
  assert.equal(chooseReviewVersion(['v2']), undefined)
})
