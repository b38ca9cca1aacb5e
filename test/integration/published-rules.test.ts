import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText, type Schema, validateExpressions } from '@strata/api'
import { publishedCrds } from '../support/published-crds.ts'

const crds = publishedCrds()
const skip = crds.length === 0 ? 'no published definitions here; STRATA_CRDS says where they are' : false

function countRules(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = (value as Schema)['x-kubernetes-validations']
  return Object.values(value).reduce((sum: number, each) => sum + countRules(each), own?.length ?? 0)
}

test('published rules: all of them compile, and none costs too much', { skip }, (t) => {
  const problems: string[] = []
  let rules = 0
  for (const { file, spec } of crds) {
    for (const { name, schema } of spec.versions) {
      const root = schema?.openAPIV3Schema as Schema | undefined
      if (!root) continue
      rules += countRules(root)
      const found = validateExpressions(root, '', { isWrong: () => false, limitsCost: true })
      problems.push(...found.map((each) => `${file} ${name}${fieldErrorText(each)}`))
    }
  }
  assert.deepEqual(problems, [])
  t.diagnostic(`${rules} rules compile`)
})
