import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePartialJson } from './partial-json.ts'
import { changeMetadata } from './protobuf-metadata.ts'
import { RecordedValues } from './recorded-values.ts'
import { isUnserved } from './unserved-kinds.ts'

const there = '11111111-1111-4111-8111-111111111111'
const here = '22222222-2222-4222-8222-222222222222'
const answer = (uid: string, ofObject: string, ofList: string, token: string): unknown => ({
  metadata: { resourceVersion: ofList, continue: token },
  items: [{ metadata: { name: 'a', uid, resourceVersion: ofObject } }],
})

function learned(): RecordedValues {
  const values = new RecordedValues()
  values.learn(answer(there, '7', '7', 'next'), answer(here, '3', '5', 'page'))
  return values
}

test('recorded values: paths and bodies get the names of this server', () => {
  const values = learned()
  assert.equal(
    values.path(`/x?resourceVersion=7&continue=next&fieldSelector=involvedObject.uid%3D${there}`),
    `/x?resourceVersion=5&continue=page&fieldSelector=involvedObject.uid%3D${here}`,
  )
  const body = { metadata: { uid: there, resourceVersion: '7' }, port: '7', owners: [{ uid: there }] }
  assert.deepEqual(values.body(body), {
    metadata: { uid: here, resourceVersion: '3' },
    port: '7',
    owners: [{ uid: here }],
  })
})

test('recorded values: what comes back as it was sent teaches nothing', () => {
  const values = learned()
  values.learn({ involvedObject: { uid: there } }, { involvedObject: { uid: there } })
  assert.equal(values.uid(there), here)
})

test('recorded values: a document is asked for under the name that the index gives it', () => {
  const values = learned()
  values.learnDocuments({ paths: { 'apis/a/v1': { serverRelativeURL: '/openapi/v3/apis/a/v1?hash=NEW' } } })
  assert.equal(values.path('/openapi/v3/apis/a/v1?hash=OLD'), '/openapi/v3/apis/a/v1?hash=NEW')
  assert.equal(values.path('/openapi/v3/apis/b/v1?hash=OLD'), '/openapi/v3/apis/b/v1?hash=OLD')
})

test('recorded values: metadata in protobuf is changed, whatever its length, and nothing else', () => {
  const field = (number: number, content: Buffer | string): Buffer =>
    Buffer.concat([Buffer.from([number * 8 + 2, content.length]), Buffer.from(content as string)])
  const body = (version: string): Buffer => {
    const metadata = Buffer.concat([field(1, 'a'), field(6, version), Buffer.from([0x38, 0x96, 0x01])])
    const raw = Buffer.concat([field(1, metadata), field(2, '7')])
    return Buffer.concat([Buffer.from('k8s\0'), field(1, 'x'), field(2, raw)])
  }
  assert.deepEqual(
    changeMetadata(body('7'), () => '12345'),
    body('12345'),
  )
})

const partial: ReadonlyArray<[text: string, want: unknown]> = [
  ['{"a":1}', { a: 1 }],
  ['{"a":1,"b":{"c":[1,2', { a: 1, b: { c: [1] } }],
  ['{"a":"x,y","b":"cut', { a: 'x,y' }],
  ['{"a":{"b":1},"c":{"d":"e","f', { a: { b: 1 }, c: { d: 'e' } }],
  ['{"a', undefined],
]
for (const [text, want] of partial) {
  test(`partial JSON: ${text}`, () => assert.deepEqual(parsePartialJson(text), want))
}

const paths: ReadonlyArray<[path: string, want: boolean]> = [
  ['/api/v1/pods?watch=true', true],
  ['/api/v1/namespaces/a/services/b', true],
  ['/apis/apps/v1', true],
  ['/api/v1/namespaces/pods', false],
  ['/api/v1/namespaces/a/configmaps/pods', false],
  ['/apis/rbac.authorization.k8s.io/v1/roles', false],
  ['/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', false],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?watch=true', false],
  ['/openapi/v3', false],
]
for (const [path, want] of paths) {
  test(`unserved kinds: ${path}`, () => assert.equal(isUnserved(path), want))
}
