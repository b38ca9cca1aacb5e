import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownReleaseText } from './unknown-release.ts'

const refusal =
  'UpgradeReview.strata.dev "" is invalid: spec.release: Unsupported value: "0.2.0": supported values: "0.1.0", "x+1"'

test('check: for an unknown release, the known ones and the flags that declare it', () => {
  assert.match(
    unknownReleaseText('0.2.0', refusal) ?? '',
    /^--to 0\.2\.0: .*; known: 0\.1\.0, x\+1\. .*--resources or --decodable/,
  )
})

test('check: other validation errors are left as they are', () => {
  assert.equal(unknownReleaseText('0.2.0', 'spec: Required value'), undefined)
})
