import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { renderKrewManifest } from './krew-manifest.ts'
import { platforms } from './platforms.ts'

test('krew manifest: each platform has its archive, and takes program and licences from it', () => {
  const archives = platforms.map((platform) => ({
    platform,
    uri: `https://downloads.example.dev/${platform.os}-${platform.arch}.tar.gz`,
    sha256: 'ab'.repeat(32),
  }))
  const { apiVersion, kind, metadata, spec } = parse(renderKrewManifest('0.1.0', archives))
  assert.deepEqual(
    [apiVersion, kind, metadata],
    ['krew.googlecontainertools.github.com/v1alpha2', 'Plugin', { name: 'strata' }],
  )
  assert.equal(spec.version, 'v0.1.0')
  // krew-index refuses more than 50 characters.
  assert.ok(spec.shortDescription.length <= 50)
  assert.deepEqual(
    spec.platforms.map((each: { selector: object }) => each.selector),
    platforms.map(({ os, arch }) => ({ matchLabels: { os, arch } })),
  )
  assert.deepEqual(spec.platforms[0], {
    selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
    uri: 'https://downloads.example.dev/linux-amd64.tar.gz',
    sha256: 'ab'.repeat(32),
    bin: 'strata',
    files: [
      { from: 'strata', to: '.' },
      { from: 'kubectl_complete-strata', to: '.' },
      { from: 'LICENSE', to: '.' },
      { from: 'NOTICES', to: '.' },
    ],
  })
})
