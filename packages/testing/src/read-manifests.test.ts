import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseManifests } from './read-manifests.ts'

const found: ReadonlyArray<readonly [name: string, text: string, names: readonly string[]]> = [
  ['nothing', '# empty\n---\n', []],
  ['one', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n', ['ConfigMap a']],
  [
    'several, and a List',
    'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n',
    ['Secret a', 'ConfigMap b', 'ConfigMap c'],
  ],
  ['JSON', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}', ['ConfigMap a']],
]
for (const [name, text, names] of found) {
  test(`manifests: ${name}`, () => {
    const read = parseManifests(text, 'file.yaml')
    assert.deepEqual(
      read.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      names,
    )
  })
}

const refused: ReadonlyArray<readonly [text: string, message: RegExp]> = [
  ['a: 1\n', /^file\.yaml, line 1: not a manifest: it has no apiVersion and no kind$/],
  ['\n---\napiVersion: v1\n', /^file\.yaml, line 3: not a manifest: it has no kind$/],
  ['apiVersion: v1\nkind: Secret\nmetadata: {}\n', /^file\.yaml, line 1: the Secret has no metadata\.name$/],
  ['a: [\n', /^file\.yaml, line 1: /],
]
for (const [text, message] of refused) {
  test(`refused: ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseManifests(text, 'file.yaml'), { name: 'TypeError', message })
  })
}
