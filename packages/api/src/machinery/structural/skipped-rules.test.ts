import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText, invalid, required, tooLong, tooMany, wrongType } from '../field-error.ts'
import { rulesSkippedFor } from './skipped-rules.ts'

test('skipped rules: only if something is missing, too much, or of the wrong type', () => {
  assert.equal(rulesSkippedFor([]), undefined)
  assert.equal(rulesSkippedFor([invalid('a', 1, 'x')]), undefined)
  for (const error of [required('a'), tooLong('a', 1), tooMany('a', 2, 1), wrongType('a', 1, 'x')]) {
    assert.equal(
      fieldErrorText(rulesSkippedFor([invalid('b', 1, 'x'), error]) ?? required('')),
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    )
  }
})
