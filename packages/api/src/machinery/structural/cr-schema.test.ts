import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import { fieldErrorText } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

/** A recorded server's custom resources: what was sent, and what was answered. */
interface Scenario {
  readonly setup: readonly {
    readonly body?: { readonly spec?: { readonly versions?: readonly Versioned[] } }
  }[]
  readonly steps: readonly { readonly name: string; readonly body?: ApiObject | string }[]
}
interface Versioned {
  readonly schema: { readonly openAPIV3Schema: Schema }
}
interface Recording {
  readonly steps: readonly {
    readonly name: string
    readonly request: string
    readonly status: number
    readonly warning?: readonly string[]
    readonly body: { readonly details?: { readonly causes: readonly Cause[] }; readonly spec?: unknown }
  }[]
}
interface Cause {
  readonly field: string
  readonly message: string
}

const golden = new URL('../../../../../test/golden/', import.meta.url)
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, golden), 'utf8'))
const { setup, steps } = read('recordings/scenarios/cr-schema.json') as Scenario
const recorded = (read('recordings/golden/cr-schema.json') as Recording).steps
const schema = setup.flatMap(({ body }) => body?.spec?.versions ?? [])[0]?.schema.openAPIV3Schema ?? {}
const structural = compileStructuralSchema(schema)

for (const { name, body } of steps) {
  const answer = recorded.find((step) => step.name === name)
  if (!body || !answer?.request.startsWith('POST')) continue
  test(`recorded: ${name}`, () => {
    const object = (typeof body === 'string' ? JSON.parse(body) : structuredClone(body)) as ApiObject
    const unknown: string[] = []
    structural.prune(object, (path) => unknown.push(path))
    const warnings = answer.warning?.map((each) => JSON.parse(each.slice('299 - '.length)) as string)
    assert.deepEqual(
      unknown.map((path) => `unknown field "${path}"`),
      warnings ?? [],
    )
    structural.applyDefaults(object)
    const found = structural.validate(object).map(fieldErrorText)
    const wanted = answer.body.details?.causes.map(({ field, message }) => `${field}: ${message}`)
    assert.deepEqual(found.sort(), [...(wanted ?? [])].sort())
    if (answer.status === 201) assert.deepEqual(object['spec'], answer.body.spec)
  })
}
