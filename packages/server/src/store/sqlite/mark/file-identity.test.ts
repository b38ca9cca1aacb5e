import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileIdentity, isOther } from './file-identity.ts'

test('file identity: a disk that does not answer does not say that the file was replaced', () => {
  const known = fileIdentity(import.meta.filename)
  const failing = (): never => {
    throw Object.assign(new Error('input/output error'), { code: 'EIO' })
  }
  assert.equal(isOther(import.meta.filename, known), false)
  assert.equal(isOther(`${import.meta.filename}.gone`, known), true)
  assert.equal(isOther(import.meta.filename, known, failing), false)
})
