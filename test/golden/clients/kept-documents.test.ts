import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptDocuments } from './kept-documents.ts'

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const cases: ReadonlyArray<[name: string, request: Parameters<KeptDocuments['note']>, want: boolean]> = [
  ['a definition is made', ['POST', `${crds}?fieldManager=a`, 201], true],
  ['a definition is deleted', ['DELETE', `${crds}/as.b`, 200], true],
  ['a definition is read', ['GET', `${crds}/as.b`, 200], false],
  ['a definition is refused', ['POST', crds, 422], false],
  ['something else is made', ['POST', '/api/v1/namespaces', 201], false],
]
for (const [name, request, want] of cases) {
  test(`kept documents: ${want ? 'outdated' : 'not outdated'} when ${name}`, () => {
    const kept = new KeptDocuments()
    kept.keep('index', '"1"')
    kept.note(...request)
    assert.deepEqual([kept.etag('index'), kept.isOutdated('index')], ['"1"', want])
    kept.keep('index', '"2"')
    assert.deepEqual([kept.etag('index'), kept.isOutdated('index')], ['"2"', false])
  })
}
