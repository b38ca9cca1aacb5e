import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archivesAmong, decideManifest } from './decide-manifest.ts'

const archives = new Map(
  ['api', 'cli', 'client', 'server', 'testing', 'world'].map((name) => [name, `/r/strata-${name}-0.1.0.tgz`]),
)

test('from a registry, a project names what it imports', () => {
  const manifest = decideManifest('gadgets', '0.1.0', 'registry')
  assert.ok(!('missing' in manifest))
  assert.deepEqual(manifest['dependencies'], {
    '@strata/api': '0.1.0',
    '@strata/server': '0.1.0',
    '@strata/world': '0.1.0',
  })
  assert.deepEqual(manifest['devDependencies'], { '@strata/cli': '0.1.0', '@strata/testing': '0.1.0' })
})

test('from archives, it names also what these need', () => {
  const manifest = decideManifest('gadgets', '0.1.0', archives)
  assert.ok(!('missing' in manifest))
  assert.deepEqual(manifest['devDependencies'], {
    '@strata/cli': 'file:/r/strata-cli-0.1.0.tgz',
    '@strata/client': 'file:/r/strata-client-0.1.0.tgz',
    '@strata/testing': 'file:/r/strata-testing-0.1.0.tgz',
  })
})

test('a package without an archive is named', () => {
  const without = new Map([...archives].filter(([name]) => name !== 'testing'))
  assert.deepEqual(decideManifest('gadgets', '0.1.0', without), { missing: 'testing' })
})

test('other files of a release, and other versions, are not among the archives', () => {
  const files = [
    'strata-api-0.1.0.tgz',
    'strata-server-0.2.0.tgz',
    'strata-0.1.0-npm.tgz',
    'strata-0.1.0-chart.tgz',
    'SHA256SUMS',
  ]
  assert.deepEqual([...archivesAmong(files, '0.1.0')], [['api', 'strata-api-0.1.0.tgz']])
})
