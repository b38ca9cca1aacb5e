import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerSnippet, withKeyAdded, withKeyFirst, withoutKeys } from './provider-snippet.ts'

const before = ['aesgcm:key1:3f9a', 'identity']

test('snippet: keys of one provider that follow each other are one list, and no secret is in it', () => {
  const keys = withKeyAdded(before, 'aesgcm:key2')
  assert.deepEqual(providerSnippet([{ resources: ['secrets', '*.g.dev'], keys }], 'aesgcm:key2'), [
    'resources:',
    "  - resources: [secrets, '*.g.dev']",
    '    providers:',
    '      - aesgcm:',
    '          keys:',
    '            - name: key1',
    '              secret: <as it is>',
    '            - name: key2',
    '              secret: <new: head -c 32 /dev/urandom | base64>',
    '      - identity: {}',
  ])
  const other = providerSnippet(
    [{ resources: ['a'], keys: ['secretbox:b', 'kms:vault:*', 'aesgcm:key1'] }],
    undefined,
  )
  assert.deepEqual(
    other.filter((line) => /^ {6}-/.test(line)),
    [
      '      - secretbox:',
      '      - kms: {apiVersion: v2, name: vault, endpoint: <as it is>}',
      '      - aesgcm:',
    ],
  )
})

test('snippet: added behind the first one, then put first, and the others taken out', () => {
  assert.deepEqual(withKeyAdded(before, 'aesgcm:key2'), ['aesgcm:key1:3f9a', 'aesgcm:key2', 'identity'])
  assert.deepEqual(withKeyAdded(['aesgcm:key1', 'identity', 'aesgcm:key2:77aa'], 'aesgcm:key2'), [
    'aesgcm:key1',
    'aesgcm:key2',
    'identity',
  ])
  assert.deepEqual(withKeyFirst(before, 'aesgcm:key2'), ['aesgcm:key2', 'aesgcm:key1:3f9a', 'identity'])
  assert.deepEqual(withoutKeys(['aesgcm:key2', ...before], ['aesgcm:key1']), ['aesgcm:key2', 'identity'])
})
