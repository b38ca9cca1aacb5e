import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createClient } from '@strata/client'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { kindsIn, manifestOf, observeHelm } from './observe-helm.ts'

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
  test(`Helm: ${JSON.stringify(damaged)} is no release`, () =>
    assert.equal(manifestOf(damaged, false), undefined))
}

test('Helm: a release that cannot be unpacked is named, and the others count', async () => {
  const releases: Readonly<Record<string, string>> = {
    web: gzipSync(JSON.stringify({ manifest })).toString('base64'),
    past: gzipSync(JSON.stringify({ manifest })).toString('base64'),
    cut: 'x',
  }
  const answer = (target: string): object => {
    const [, plural, name] = /\/(secrets|configmaps)(?:\/([^?]+))?(?:\?|$)/.exec(target) ?? []
    const metadataOf = (each: string) => ({
      namespace: 'shop',
      name: each,
      labels: { name: each, version: '1', status: each === 'past' ? 'superseded' : 'deployed' },
    })
    if (name !== undefined) return { metadata: metadataOf(name), data: { release: releases[name] } }
    const names = plural === 'configmaps' ? Object.keys(releases) : []
    return { metadata: {}, items: names.map((each) => ({ metadata: metadataOf(each) })) }
  }
  const transport = async ({ target }: HttpRequest): Promise<HttpResponse> => ({
    ...{ status: 200, headers: {}, body: utf8.encode(JSON.stringify(answer(target))) },
  })
  const sight = await observeHelm(createClient({ transport }), new AbortController().signal)
  assert.deepEqual(sight.unreadable, ['shop/cut (revision 1)'])
  assert.deepEqual(
    sight.found.map(({ kind, release, inUse }) => [kind, release, inUse]),
    [
      ['Lamp', 'shop/past (revision 1, superseded)', false],
      ['Service', 'shop/past (revision 1, superseded)', false],
      ['Lamp', 'shop/web (revision 1)', true],
      ['Service', 'shop/web (revision 1)', true],
    ],
  )
})
