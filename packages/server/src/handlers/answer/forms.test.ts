import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, configMaps, type ResourceDefinition } from '@strata/api'
import { utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createServedApi } from '../../registry/index.ts'
import { type Endpoint, formKey, negotiateForm, negotiateMedia, serveForm } from './forms.ts'

const api = createServedApi([configMaps as unknown as ResourceDefinition], undefined)
const found = api.find('', 'v1', 'configmaps')
assert.ok(found)
const resource = found
const { clock } = new Simulation('forms').process('a')
const negotiate = (accept: string | undefined, endpoint: Endpoint, query = '') =>
  negotiateForm(
    {
      request: { headers: accept === undefined ? {} : { accept } },
      info: { query: new URLSearchParams(query) },
    },
    resource,
    endpoint,
    clock,
  )

const meta = 'g=meta.k8s.io;v=v1'
const router = /^406: Not Acceptable\n\nAvailable representations: application\/json/
const handler =
  /^only the following media types are accepted: application\/json, application\/yaml, application\/vnd\.kubernetes\.protobuf$/

type Row = [accept: string | undefined, endpoint: Endpoint, want: string | RegExp]
const cases: readonly Row[] = [
  [undefined, 'object', 'json object'],
  ['', 'object', 'json object'],
  ['*/*', 'object', 'json object'],
  ['*', 'object', 'json object'],
  ['application/json', 'watch', 'json object'],
  ['application/json;charset=utf-8', 'object', 'json object'],
  ['application/yaml', 'object', 'yaml object'],
  ['application/yaml;q=0.5,application/json', 'object', 'json object'],
  ['application/json;q=0.5, application/yaml', 'object', 'yaml object'],
  ['*/*;q=0.1,application/yaml;q=0.2', 'list', 'yaml object'],
  ['*/*,application/yaml', 'list', 'yaml object'],
  ['application/*', 'object', router],
  ['text/html;q=0.1', 'object', router],
  ['text/html', 'list', /application\/vnd\.kubernetes\.protobuf;stream=watch$/],
  ['text/html,application/json', 'object', 'json object'],
  ['nonsense', 'object', router],
  ['application/json;stream=watch', 'watch', 'json object'],
  ['application/json;stream=watch', 'object', handler],
  ['application/yaml', 'watch', handler],
  ['application/vnd.kubernetes.protobuf', 'object', handler],
  ['application/vnd.kubernetes.protobuf,application/json', 'object', 'json object'],
  ['application/vnd.kubernetes.protobuf,*/*', 'object', 'json object'],
  [`application/json;as=PartialObjectMetadata;${meta}`, 'object', 'json metadata'],
  [`application/json;as=PartialObjectMetadata;${meta}`, 'watch', 'json metadata'],
  [`application/yaml;as=PartialObjectMetadata;${meta}beta1`, 'object', 'yaml metadata'],
  [`application/json;as=PartialObjectMetadataList;${meta}`, 'list', 'json metadata'],
  [`application/json;as=PartialObjectMetadata;${meta}`, 'list', /is a list \(\*core\.ConfigMapList\)$/],
  [`application/json;as=PartialObjectMetadataList;${meta}`, 'object', /is not a list \(\*core\.ConfigMap\)$/],
  [`application/json;as=Table;${meta}`, 'list', 'json table'],
  [`application/yaml;as=Table;${meta}beta1`, 'object', 'yaml table'],
  [`application/json;as=Table;${meta}`, 'watch', 'json table'],
  [`application/vnd.kubernetes.protobuf;as=Table;${meta}`, 'list', handler],
  [`application/json;as=Table;${meta},application/json`, 'list', 'json table'],
  ['application/json;as=Table;g=meta.k8s.io;v=v9,application/json', 'list', 'json object'],
  ['application/json;as=Table;g=meta.k8s.io;v=v9', 'list', handler],
  ['application/json;as=PartialObjectMetadata;g=other.dev;v=v1,*/*', 'object', 'json object'],
]
for (const [accept, endpoint, want] of cases) {
  test(`forms: ${accept ?? 'nothing'} for ${endpoint}`, () => {
    if (typeof want === 'string') {
      const { media, transform } = negotiate(accept, endpoint)
      assert.equal(`${media} ${transform}`, want)
      return
    }
    assert.throws(
      () => negotiate(accept, endpoint),
      (error) => error instanceof ApiError && error.code === 406 && want.test(error.message),
    )
  })
}

test('forms: an error has the media type that the client accepts, or else JSON', () => {
  assert.equal(negotiateMedia({ accept: 'application/yaml' }, true), 'yaml')
  assert.equal(negotiateMedia({ accept: 'text/html' }, true), 'json')
  assert.equal(negotiateMedia({ accept: `application/yaml;as=PartialObjectMetadata;${meta}` }, true), 'json')
  assert.equal(negotiateMedia({ accept: `application/yaml;as=PartialObjectMetadata;${meta}` }, false), 'yaml')
})

const served = (accept: string, stored: string): string => {
  const form = negotiate(accept, 'object')
  return utf8.decode(serveForm(resource, form, utf8.encode(stored), 7))
}
const metadata = '"name":"a","annotations":{"k":"}\\"{\\\\"},"generation":9007199254740993'

test('forms: metadata alone keeps every byte of the metadata', () => {
  const stored = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{${metadata}},"data":{"metadata":"{"}}`
  const accept = `application/json;as=PartialObjectMetadata;${meta}beta1`
  assert.equal(
    served(accept, stored),
    `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"resourceVersion":"7",${metadata}}}`,
  )
})

test('forms: only a table looks at what should come with its rows', () => {
  assert.equal(
    negotiate(`application/json;as=Table;${meta}`, 'list', 'includeObject=None').table?.include,
    'None',
  )
  assert.equal(negotiate('application/json', 'list', 'includeObject=Bogus').transform, 'object')
  assert.throws(
    () => negotiate(`application/json;as=Table;${meta}`, 'list', 'includeObject=Bogus'),
    (error) =>
      error instanceof ApiError &&
      error.code === 400 &&
      error.message ===
        `Unable to convert to Table as requested: includeObject: Invalid value: "Bogus": must be 'Metadata', 'Object', 'None', or empty`,
  )
})

test('forms: the object itself is what the codec serves', () => {
  const stored = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{${metadata}}}`
  assert.match(served('application/json', stored), /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{/)
})

test('forms: a key per version and transformation, whatever the media type', () => {
  const key = (accept: string): string => formKey(resource, negotiate(accept, 'object'))
  assert.equal(key('application/json'), key('application/yaml'))
  assert.notEqual(key('application/json'), key(`application/json;as=PartialObjectMetadata;${meta}`))
  assert.notEqual(
    key(`application/json;as=PartialObjectMetadata;${meta}`),
    key(`application/json;as=PartialObjectMetadata;${meta}beta1`),
  )
})
