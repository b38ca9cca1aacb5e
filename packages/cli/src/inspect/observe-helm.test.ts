import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { kindsIn, manifestOf } from './observe-helm.ts'

const manifest = `---
# Source: web/templates/lamp.yaml
apiVersion: "light.example.dev/v1"
kind: Lamp
spec:
  apiVersion: no
---
apiVersion: v1
kind: Service # of the web
---
# nothing
`

test('Helm: the kinds of a manifest', () => {
  assert.deepEqual(kindsIn(manifest), [
    { apiVersion: 'light.example.dev/v1', kind: 'Lamp' },
    { apiVersion: 'v1', kind: 'Service' },
  ])
})

test('Helm: a release in a Secret, and in a ConfigMap', () => {
  const once = gzipSync(JSON.stringify({ name: 'web', manifest })).toString('base64')
  assert.equal(manifestOf(Buffer.from(once).toString('base64'), true), manifest)
  assert.equal(manifestOf(once, false), manifest)
})

for (const damaged of [
  '',
  'x',
  Buffer.from('text').toString('base64'),
  gzipSync('null').toString('base64'),
]) {
  test(`Helm: ${JSON.stringify(damaged)} is no release`, () => assert.equal(manifestOf(damaged, false), ''))
}
