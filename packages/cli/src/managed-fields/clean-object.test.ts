import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type ApiObject, type StatusDetails } from '@strata/api'
import type { MergePatch, WriteOptions } from '@strata/client'
import { TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { cleanObject } from './clean-object.ts'

const resource = { group: 'light.example.dev', resource: 'lamps' }
const entry = (version: string) => ({
  apiVersion: `${resource.group}/${version}`,
  manager: 'm',
  operation: 'Apply',
})
const lamp = (resourceVersion: string, ...versions: string[]): ApiObject => ({
  metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion, managedFields: versions.map(entry) },
})
const refusal = (code: number, reason: string, details?: StatusDetails) =>
  new ApiError(code, reason, `${code}`, details)
const conflict = refusal(409, 'Conflict')
const gone = refusal(404, 'NotFound', { name: 'a', kind: 'lamps', group: resource.group })
const lost = new TransportError('connection reset', 'unknown')

interface Row {
  /** What is stored when the object is read again. */
  readonly again?: ApiObject | Error
  /** The answers to the patches, in their order; the last one repeats. */
  readonly answers: readonly (ApiObject | Error)[]
  readonly want: { readonly kind: string; readonly because?: RegExp; readonly isOutage?: boolean }
  readonly patches: number
}

const clean = lamp('2', 'v1')
const rows: Readonly<Record<string, Row>> = {
  'cleaned at once': { answers: [clean], want: { kind: 'cleaned' }, patches: 1 },
  'changed meanwhile: read again, and cleaned': {
    ...{ answers: [conflict, clean], again: lamp('7', 'v1alpha1', 'v1') },
    ...{ want: { kind: 'cleaned' }, patches: 2 },
  },
  'changed meanwhile, and others cleaned it': {
    ...{ answers: [conflict], again: clean, want: { kind: 'nothing left' }, patches: 1 },
  },
  'changed each time': {
    ...{ answers: [conflict], again: lamp('7', 'v1alpha1') },
    ...{ want: { kind: 'failed', because: /changed it 6 times/, isOutage: false }, patches: 6 },
  },
  'deleted meanwhile': { answers: [gone], want: { kind: 'nothing left' }, patches: 1 },
  'no answer, and it was done': { answers: [lost], again: clean, want: { kind: 'cleaned' }, patches: 1 },
  'no answer each time': {
    ...{ answers: [lost], again: lamp('1', 'v1alpha1') },
    ...{ want: { kind: 'unknown', because: /connection reset/, isOutage: true }, patches: 6 },
  },
  'busy, then done': {
    ...{ answers: [refusal(429, 'TooManyRequests'), clean], again: lamp('1', 'v1alpha1') },
    ...{ want: { kind: 'cleaned' }, patches: 2 },
  },
  'a webhook denies it': {
    ...{ answers: [refusal(403, 'Forbidden')] },
    ...{ want: { kind: 'failed', because: /^403$/, isOutage: false }, patches: 1 },
  },
  'a webhook puts the entry back': {
    ...{ answers: [lamp('2', 'v1alpha1')] },
    ...{ want: { kind: 'failed', because: /its answer still has the entries/ }, patches: 1 },
  },
}
for (const [name, { again, answers, want, patches }] of Object.entries(rows)) {
  test(`clean an object: ${name}`, async () => {
    const simulation = new Simulation(name)
    const sent: { patch: MergePatch; options: WriteOptions | undefined }[] = []
    const answerOf = (answer: ApiObject | Error | undefined): ApiObject => {
      if (answer instanceof Error || answer === undefined) throw answer
      return answer
    }
    const objects = {
      get: async () => answerOf(again),
      patch: async (_: unknown, patch: MergePatch, __: unknown, options?: WriteOptions) => {
        sent.push({ patch, options })
        return answerOf(answers[sent.length - 1] ?? answers.at(-1))
      },
    }
    const isDead = (version: string): boolean => version === 'v1alpha1'
    const options = { objects, resource, isDead, dryRun: true, turn: async () => {} }
    const context = { world: simulation.process('p'), signal: new AbortController().signal }
    const outcome = cleanObject(options, lamp('1', 'v1alpha1', 'v1'), context as never)
    await simulation.run({ untilMs: 600_000 })
    const { kind, because = '', isOutage } = { because: '', isOutage: undefined, ...(await outcome) }
    assert.equal(kind, want.kind)
    if (want.because) assert.match(because, want.because)
    if (want.isOutage !== undefined) assert.equal(isOutage, want.isOutage)
    assert.equal(sent.length, patches)
    const first = { uid: 'u', resourceVersion: '1', managedFields: [entry('v1')] }
    assert.deepEqual(sent[0], { patch: { metadata: first }, options: { dryRun: true } })
  })
}
