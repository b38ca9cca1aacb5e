import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../components.ts'
import { mergeSwagger } from './merge-swagger.ts'
import type { RemoteSwagger } from './read-swagger.ts'

const text: Json = { type: 'string' }
const number: Json = { type: 'integer' }
const flag: Json = { type: 'boolean' }
const ref = (name: string): Json => ({ $ref: `#/definitions/${name}` })
const kinds = (...groups: string[]): Json => ({
  'x-kubernetes-group-version-kind': groups.map((group) => ({ group, kind: 'Options', version: 'v1' })),
})

const remote = (definitions: Json, parameters: Json = {}, path = '/apis/a/v1/'): RemoteSwagger => ({
  paths: { [path]: { get: { responses: { 200: { description: '', schema: ref('Meta') } } } } },
  ...{ definitions, parameters },
})
const refIn = ({ paths }: RemoteSwagger): string | undefined =>
  /"\$ref":"([^"]+)"/.exec(JSON.stringify(paths))?.[1]

const cases: ReadonlyArray<[name: string, own: Json, remotes: readonly Json[], want: Json]> = [
  ['a name that is free is kept', {}, [{ Meta: text }], { Meta: text }],
  ['equal definitions are shared', { Meta: text }, [{ Meta: text }], {}],
  ['others are renamed', { Meta: text }, [{ Meta: number }], { Meta_v2: number }],
  ['as another before', { Meta: text }, [{ Meta: number }, { Meta: number }], { Meta_v2: number }],
  ['or to the next', { Meta: text }, [{ Meta: number }, { Meta: flag }], { Meta_v2: number, Meta_v3: flag }],
  ['the first keeps its name', {}, [{ Meta: text }, { Meta: number }], { Meta: text, Meta_v2: number }],
  [
    'not to a name of its own',
    { Meta: text },
    [{ Meta: number, Meta_v2: flag }],
    { Meta_v3: number, Meta_v2: flag },
  ],
  [
    'references follow',
    { Meta: text },
    [{ Meta: number, Thing: { properties: { meta: ref('Meta') } } }],
    { Meta_v2: number, Thing: { properties: { meta: ref('Meta_v2') } } },
  ],
  [
    'kinds are united',
    { Meta: { ...text, ...kinds('', 'z') } },
    [{ Meta: { ...text, ...kinds('a') } }, { Meta: { ...text, ...kinds('b', 'z') } }],
    { Meta: { ...text, ...kinds('', 'a', 'b', 'z') } },
  ],
]

for (const [name, own, remotes, want] of cases) {
  test(`merged swagger: ${name}`, () => {
    const merged = mergeSwagger(
      (wanted) => own[wanted] as Json | undefined,
      remotes.map((each, index) => remote(each, {}, `/apis/${index}/v1/`)),
    )
    assert.deepEqual(merged.definitions, want)
  })
}

test('merged swagger: paths and parameters refer to the new names', () => {
  const limit = (description: string): Json => ({ name: 'limit', in: 'query', type: 'string', description })
  const get = { parameters: [{ $ref: '#/parameters/limit' }] }
  const first: RemoteSwagger = { paths: {}, definitions: {}, parameters: { limit: limit('a') } }
  const second: RemoteSwagger = {
    paths: { '/b': { get } },
    definitions: {},
    parameters: { limit: limit('b') },
  }
  const merged = mergeSwagger(() => undefined, [first, second])
  assert.deepEqual(merged.parameters, { limit: limit('a'), limit_v2: limit('b') })
  assert.deepEqual(merged.paths['/b'], {
    get: { parameters: [{ $ref: '#/parameters/limit_v2' }], responses: {} },
  })
  const renamed = mergeSwagger((name) => (name === 'Meta' ? text : undefined), [remote({ Meta: number })])
  assert.equal(refIn(renamed), '#/definitions/Meta_v2')
})
