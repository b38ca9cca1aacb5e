import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { controllersManifest, renderControllersManifest } from './controllers-manifest.ts'
import { findTypeProblems } from './package/chart/typed-object.ts'

const text = readFileSync(controllersManifest, 'utf8')

test('strata controllers install applies what the chart renders (node tools/controllers-manifest.ts writes the copy)', () => {
  assert.deepEqual(JSON.parse(text), JSON.parse(renderControllersManifest()))
})

test('what it applies has no field that the types of Kubernetes do not know, and no mark of Helm', () => {
  for (const each of JSON.parse(text))
    assert.deepEqual(findTypeProblems(`V1${each.kind}`, each), [], each.metadata.name)
  assert.doesNotMatch(text, /helm/i)
})
