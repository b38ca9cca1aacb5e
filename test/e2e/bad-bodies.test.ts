import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LoneServer, type Protocol, type WireRequest } from '../support/lone-server.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const nested = (levels: number, open: string, inside: string, close: string): string =>
  open.repeat(levels) + inside + close.repeat(levels)
const many = (count: number, make: (index: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)
const object = (fields: string, metadata = ''): string => `{"metadata":{"name":"bad"${metadata}},${fields}}`
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

/** Each is refused, with this code and these words; nothing is stored. */
type Row = readonly [name: string, request: Partial<WireRequest>, status: number, message: RegExp]

const yaml = { 'content-type': 'application/yaml' }
const merge = { 'content-type': 'application/merge-patch+json' }
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const strict = `${maps}?fieldValidation=Strict`
const bystander = `${maps}/bystander`

const bodies: readonly Row[] = [
  ['nothing at all', { body: '' }, 400, /unexpected end of JSON input \(<empty>\)$/],
  ['half an object', { body: '{"metadata":{' }, 400, /json parse error: unexpected end of JSON input/],
  ['no JSON', { body: 'hello' }, 400, /invalid character 'h' looking for beginning of value/],
  ['more than one', { body: '{} {}' }, 400, /invalid character '\{' after top-level value/],
  ['a list', { body: '[]' }, 400, /cannot unmarshal array into Go value/],
  ['a byte order mark', { body: '\ufeff{}' }, 400, /invalid character 'ï' looking for beginning/],
  ['deep lists', { body: object(`"x":${nested(20_000, '[', '', ']')}`) }, 400, /exceeded max depth/],
  ['lists without end', { body: '['.repeat(3_000_000) }, 400, /exceeded max depth/],
  ['deep objects', { body: object(`"x":${nested(20_000, '{"a":', '1', '}')}`) }, 400, /exceeded max depth/],
  [
    'a deep merge patch',
    { method: 'PATCH', path: bystander, headers: merge, body: nested(20_000, '{"a":', '1', '}') },
    400,
    /^error decoding patch: exceeded max depth$/,
  ],
  [
    'a deep JSON patch',
    { method: 'PATCH', path: bystander, headers: jsonPatch, body: nested(20_000, '[', '', ']') },
    400,
    /exceeded max depth/,
  ],
  ['deep YAML', { headers: yaml, body: `x: ${nested(20_000, '[', '', ']')}` }, 400, /exceeded max depth/],
  [
    'YAML that stands for millions',
    {
      headers: yaml,
      body: `a0: &a0 [x,x]\n${many(24, (index) => `a${index + 1}: &a${index + 1} [*a${index},*a${index}]`, '\n')}`,
    },
    400,
    /document contains excessive aliasing/,
  ],
  ['YAML that takes long', { headers: yaml, body: `[${'[],'.repeat(40_000)}` }, 400, /yaml: /],
  ['too long by a byte', { body: ' '.repeat(3 * 1024 * 1024 + 1) }, 413, /too large: limit is 3145728$/],
  [
    'keys twice, strictly',
    { path: strict, body: '{"metadata":{"name":"bad"},"data":{"a":"1","a":"2"}}' },
    400,
    /strict decoding error: duplicate field "data\.a"$/,
  ],
  [
    'keys twice in YAML, strictly',
    { path: strict, headers: yaml, body: 'metadata: {name: bad}\ndata:\n  a: "1"\n  a: "2"\n' },
    400,
    /strict decoding error: yaml: unmarshal errors:\n {2}line 4: key "a" already set in map$/,
  ],
  [
    'a hundred thousand keys twice',
    { path: strict, body: object(`"data":{${many(100_000, () => '"a":"1"')}}`) },
    400,
    /strict decoding error: duplicate field "data\.a"$/,
  ],
  [
    'an unknown field, strictly',
    { path: strict, body: object('"nope":1') },
    400,
    /strict decoding error: unknown field "nope"$/,
  ],
  [
    'a hundred thousand unknown fields, strictly',
    { path: strict, body: object(many(100_000, (index) => `"x${index}":1`)) },
    400,
    /unknown field "x99"$/,
  ],
  ['another kind', { body: '{"apiVersion":"v1","kind":"Secret"}' }, 400, /cannot be handled as a ConfigMap/],
  ['a kind that is none', { body: '{"apiVersion":"v1","kind":"Nope"}' }, 400, /no kind "Nope" is registered/],
  ['a number for a name', { body: '{"metadata":{"name":5}}' }, 400, /cannot unmarshal number into Go struct/],
  [
    'a name with a slash',
    { body: '{"metadata":{"name":"a/b"}}' },
    422,
    /metadata\.name: Invalid value: "a\/b"/,
  ],
  ['a name of dots', { body: '{"metadata":{"name":".."}}' }, 422, /metadata\.name: Invalid value: "\.\."/],
  [
    'a namespace elsewhere',
    { body: '{"metadata":{"name":"bad","namespace":"kube-system"}}' },
    400,
    /the namespace of the provided object does not match the namespace sent on the request/,
  ],
  [
    'a label that is none',
    { body: object('"data":{}', ',"labels":{"a b":"c d"}') },
    422,
    /metadata\.labels: Invalid value: "a b"/,
  ],
  [
    'fifty thousand labels that are none',
    { body: object('"data":{}', `,"labels":{${many(50_000, (index) => `"a ${index}":"c d"`)}}`) },
    422,
    /metadata\.labels: Invalid value: "a 0".* more\]$/,
  ],
  [
    'annotations without measure',
    { body: object('"data":{}', `,"annotations":{"a":"${'x'.repeat(300_000)}"}`) },
    422,
    /metadata\.annotations: Too long: may not be more than 262144 bytes$/,
  ],
  [
    'a hundred thousand owners without a name',
    { body: object('"data":{}', `,"ownerReferences":[${many(100_000, () => '{}')}]`) },
    422,
    /ownerReferences\.apiVersion.* more\]$/,
  ],
  [
    'a hundred thousand owners in charge',
    {
      body: object(
        '"data":{}',
        `,"ownerReferences":[${many(30_000, (index) => `{"apiVersion":"v1","kind":"A","name":"a","uid":"${index}","controller":true}`)}]`,
      ),
    },
    422,
    /Only one reference can have Controller set to true/,
  ],
  [
    'a number beyond its bits',
    { body: object('"data":{}', `,"generation":${'9'.repeat(100_000)}`) },
    400,
    /cannot unmarshal number 9+ into Go struct field ObjectMeta\.metadata\.generation of type int64$/,
  ],
  [
    'base64 that is none',
    { body: object('"binaryData":{"a":"***"}') },
    400,
    /illegal base64 data at input byte 0$/,
  ],
  [
    'text',
    { headers: { 'content-type': 'text/plain' }, body: '{}' },
    415,
    /body of the request was in an unknown format/,
  ],
  [
    'a patch of no kind',
    { method: 'PATCH', path: bystander, headers: { 'content-type': 'application/json' }, body: '{}' },
    415,
    /415: Unsupported Media Type/,
  ],
  [
    'ten thousand and one operations',
    {
      method: 'PATCH',
      path: bystander,
      headers: jsonPatch,
      body: `[${many(10_001, () => '{"op":"test","path":"/data/k","value":"v"}')}]`,
    },
    413,
    /maximum/,
  ],
  ['a form that is none', { method: 'GET', body: undefined, headers: { accept: 'text/html' } }, 406, /406/],
]

const queries: readonly Row[] = [
  ['labelSelector=a%3D%3D%3D%3Db%28%28%28%28', 400, /unable to parse requirement/],
  [`labelSelector=${'%28'.repeat(5_000)}`, 400, /^found '\(', expected: !, identifier, or 'end of string'$/],
  ['fieldSelector=spec.nope%3D1', 400, /"spec\.nope" is not a known field selector/],
  ['continue=%00%01nonsense', 400, /continue key is not valid/],
  ['limit=99999999999999999999', 400, /strconv\.ParseInt.*value out of range/],
  ['resourceVersion=abc', 400, /invalid resource version/],
  ['resourceVersion=1&resourceVersionMatch=Nope', 422, /Unsupported value: "Nope"/],
  ['timeout=soon', 400, /invalid timeout specified in the request URL/],
].map(([query, status, message]): Row => {
  const request = { method: 'GET', path: `${maps}?${query}`, body: undefined }
  return [`the query ${String(query).slice(0, 60)}`, request, Number(status), message as RegExp]
})

/** Paths that try to be another one. None may reach an object. */
const paths: readonly Row[] = [
  `${maps}/..%2f..%2fkube-system%2fconfigmaps%2fbystander`,
  `${maps}/%2e%2e/bystander`,
  `${maps}/a%2Fb`,
  `${maps}/x%00`,
  `/api/v1//namespaces/default/configmaps/bystander`,
  `/api/v1/namespaces/default%2Fconfigmaps/bystander`,
  `/api/v1/namespaces/%zz/configmaps/bystander`,
  `/api/v1/namespaces/default/configmaps/bystander/data`,
  `${maps}/${'x'.repeat(30_000)}`,
].map(
  (path): Row => [
    `the path ${path.slice(0, 70)}`,
    { method: 'DELETE', path, body: undefined },
    404,
    /not found|could not find/,
  ],
)

describe('bad bodies', () => {
  let server: LoneServer
  let revision = ''
  before(async () => {
    server = await LoneServer.start('bad-bodies')
    const body = '{"metadata":{"name":"bystander"},"data":{"k":"v"}}'
    const made = await send('HTTP/1.1', { body })
    assert.equal(made.status, 201, made.text)
    revision = JSON.parse(made.text).metadata.resourceVersion
  })
  after(() => server.stop())

  const send = (protocol: Protocol, asked: Partial<WireRequest>) => {
    const { method = 'POST', path = maps, headers = {}, body } = asked
    const type = { 'content-type': 'application/json', ...headers }
    return server.send(protocol, { method, path, headers: type, body })
  }

  for (const protocol of ['HTTP/1.1', 'HTTP/2'] as const) {
    for (const [name, asked, status, message] of [...bodies, ...queries, ...paths]) {
      test(`${protocol}: ${name}`, async () => {
        const answer = await server.staysAlive(send(protocol, asked))
        assert.equal(answer.status, status, answer.text.slice(0, 500))
        const { kind, message: words } = JSON.parse(answer.text)
        assert.equal(kind, 'Status')
        assert.ok(message.test(words), `${String(words).slice(0, 300)} … ${String(words).slice(-200)}`)
      })
    }
  }

  /** Odd input that upstream accepts: it must come back as upstream would store it. */
  const odd: ReadonlyArray<[name: string, body: string | Uint8Array, data: Record<string, string>]> = [
    [
      'names of what objects inherit',
      '{"metadata":{"name":"odd"},"__proto__":{"polluted":1},"data":{"__proto__":"a","constructor":"b"}}',
      JSON.parse('{"__proto__":"a","constructor":"b"}'),
    ],
    [
      'bytes that are no UTF-8',
      bytes('{"metadata":{"name":"odd"},"data":{"k":"a', [0xff, 0xc0], 'b"}}'),
      { k: 'a\ufffd\ufffdb' },
    ],
    ['half a surrogate pair', '{"metadata":{"name":"odd"},"data":{"k":"a\\ud800b"}}', { k: 'a\ufffdb' }],
    ['unknown fields', object('"nope":1,"data":{"k":"v"}').replace('bad', 'odd'), { k: 'v' }],
  ]
  for (const [name, body, data] of odd) {
    test(`taken as upstream takes it: ${name}`, async () => {
      const made = await server.staysAlive(send('HTTP/2', { body }))
      assert.equal(made.status, 201, made.text)
      const { text } = await send('HTTP/1.1', { method: 'GET', path: `${maps}/odd` })
      assert.deepEqual(JSON.parse(text).data, data)
      assert.equal((await send('HTTP/1.1', { method: 'DELETE', path: `${maps}/odd` })).status, 200)
      assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
    })
  }

  test('unknown fields are reported to clients that ask for it', async () => {
    const asked = { path: `${maps}?fieldValidation=Warn&dryRun=All`, body: object('"nope":1') }
    const answer = await send('HTTP/1.1', asked)
    assert.deepEqual([answer.status, answer.headers['warning']], [201, '299 - "unknown field \\"nope\\""'])
    const quiet = await send('HTTP/1.1', { ...asked, path: `${maps}?fieldValidation=Ignore&dryRun=All` })
    assert.deepEqual([quiet.status, quiet.headers['warning']], [201, undefined])
  })

  test('no other client has noticed anything', async () => {
    const { text } = await send('HTTP/1.1', { method: 'GET' })
    const { items } = JSON.parse(text)
    const shown = items.map(({ metadata }: { metadata: { name: string; resourceVersion: string } }) => [
      metadata.name,
      metadata.resourceVersion,
    ])
    assert.deepEqual(
      shown.filter(([name]: [string]) => name !== 'kube-root-ca.crt'),
      [['bystander', revision]],
    )
    assert.equal(server.process.running, true)
    assert.doesNotMatch(server.process.output, /unexpected error|request filter failed/)
  })
})
