import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  configuration,
  configurationPath,
  everything,
  label,
  patchOf,
  type Say,
  startAdmissionServer,
} from '../support/admission-server.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps } from '../support/one-server.ts'

const yes: Say = () => ({})
const merge = { 'content-type': 'application/merge-patch+json' }
const applied = { 'content-type': 'application/apply-patch+yaml' }

/** A server with one configuration of each kind, of the hooks that are given. */
async function start(
  seed: string,
  hooks: { readonly mutating?: Record<string, Say>; readonly validating?: Record<string, Say> },
  more: Record<string, unknown> = {},
) {
  const { mutating = {}, validating = {} } = hooks
  const started = await startAdmissionServer(seed, { ...mutating, ...validating })
  for (const [kind, says] of [
    ['Mutating', mutating],
    ['Validating', validating],
  ] as const) {
    const names = Object.keys(says)
    if (names.length === 0) continue
    const body = configuration(kind, 'c', ...names.map((each) => [each, more] as const))
    const { status } = await started.send('POST', configurationPath(kind), body)
    assert.equal(status, 201)
  }
  assert.deepEqual(started.asked(), [], 'no webhook is called for configurations')
  return started
}

test('admission: a create is shown before it is stored, and once more when it is complete', async () => {
  const { send, asked } = await start('create', { mutating: { m: yes }, validating: { v: yes } })
  const path = `${maps}?fieldManager=me&fieldValidation=Strict`
  const { body } = await send('POST', path, { ...configMap('a'), metadata: { name: 'a', uid: 'mine' } })
  const [first, second, ...more] = asked()
  assert.deepEqual(more, [])
  assert.equal(first?.timeoutMs, 10_000)
  const { uid, object, ...request } = first?.request ?? {}
  assert.match(uid, /^[0-9a-f-]{36}$/)
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' }
  const resource = { group: '', version: 'v1', resource: 'configmaps' }
  assert.deepEqual(request, {
    ...{ kind, resource, requestKind: kind, requestResource: resource },
    ...{ name: 'a', namespace: 'default', operation: 'CREATE', oldObject: null, dryRun: false },
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    options: {
      ...{ kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      ...{ fieldManager: 'me', fieldValidation: 'Strict' },
    },
  })
  assert.deepEqual(object, {
    ...{
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default' },
      data: { k: 'v' },
    },
  })
  const { resourceVersion: _, ...metadata } = body.metadata
  assert.deepEqual(second?.request.object, { ...object, metadata })
  assert.equal(second?.hook, 'v')
})

test('admission: what webhooks add is stored, and belongs to the manager of the request', async () => {
  const { send } = await start('mutate', { mutating: { m: (request) => label(request, 'added', 'yes') } })
  const { body } = await send('POST', `${maps}?fieldManager=me`, configMap('a'))
  assert.deepEqual(body.metadata.labels, { added: 'yes' })
  const [entry] = body.metadata.managedFields
  assert.equal(entry.manager, 'me')
  assert.deepEqual(Object.keys(entry.fieldsV1), ['f:data', 'f:metadata'])
  assert.deepEqual((await send('GET', `${maps}/a`)).body.metadata.labels, { added: 'yes' })
})

const denials: ReadonlyArray<
  [name: string, status: unknown, code: number, reason: string | undefined, text: string]
> = [
  ['in its words', { message: 'no!', code: 403, reason: 'Forbidden' }, 403, 'Forbidden', ': no!'],
  ['by a reason alone', { reason: 'Forbidden' }, 400, 'Forbidden', ': Forbidden'],
  ['without a word', undefined, 400, undefined, ' without explanation'],
  ['with the code of a success', { code: 200, message: 'no' }, 400, undefined, ': no'],
  ['with a code that there is not', { code: 12345, message: 'no' }, 500, undefined, ': no'],
]
for (const [name, status, code, reason, text] of denials) {
  for (const kind of ['mutating', 'validating'] as const) {
    test(`admission: a ${kind} webhook denies ${name}`, async () => {
      const { send, asked } = await start(name, { [kind]: { h: () => ({ allowed: false, status }) } })
      const { status: found, body } = await send('POST', maps, configMap('a'))
      assert.equal(found, code)
      assert.equal(body.message, `admission webhook "h.example.com" denied the request${text}`)
      assert.equal(body.reason, reason)
      assert.equal(asked().length, 1)
      assert.equal((await send('GET', `${maps}/a`)).status, 404)
    })
  }
}

const breaches: ReadonlyArray<[name: string, answer: Record<string, unknown>, text: RegExp]> = [
  [
    'another uid',
    { uid: 'x' },
    /received invalid webhook response: expected response\.uid="[0-9a-f-]+", got "x"$/,
  ],
  [
    'a patch without its type',
    { patch: 'W10=' },
    /received invalid webhook response: webhook returned response\.patch but not response\.patchType$/,
  ],
  [
    'a patch that is none',
    { ...patchOf(), patch: Buffer.from('{').toString('base64') },
    /received undecodable patch in webhook response: unexpected end of JSON input$/,
  ],
  [
    'a patch of another type',
    { ...patchOf({ op: 'add' }), patchType: 'Merge' },
    /: unsupported patch type "Merge"$/,
  ],
  [
    'a patch that is no base64',
    { patch: '!', patchType: 'JSONPatch' },
    /failed to call webhook: illegal base64 data at input byte 0$/,
  ],
  [
    'something else than yes or no',
    { allowed: 'yes' },
    /failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse\.response\.allowed of type bool$/,
  ],
]
for (const [name, answer, text] of breaches) {
  test(`admission: a webhook that answers with ${name} has failed, which may be overlooked`, async () => {
    const strict = await start(name, { mutating: { h: () => answer } })
    const { status, body } = await strict.send('POST', maps, configMap('a'))
    assert.equal(status, 500)
    assert.equal(body.reason, 'InternalError')
    assert.match(body.message, /^Internal error occurred: failed calling webhook "h\.example\.com": /)
    assert.match(body.message, text)
    const lenient = await start(name, { mutating: { h: () => answer } }, { failurePolicy: 'Ignore' })
    assert.equal((await lenient.send('POST', maps, configMap('a'))).status, 201)
  })
}

test('admission: a patch that does not fit is the fault of its webhook', async () => {
  const says = { m: () => patchOf({ op: 'remove', path: '/nothing' }) }
  const { send } = await start('unfit', { mutating: says }, { failurePolicy: 'Ignore' })
  const { status, body } = await send('POST', maps, configMap('a'))
  assert.equal(status, 500)
  assert.match(body.message, /^Internal error occurred: /)
})

test('admission: updates, patches and applies are shown with what stands', async () => {
  const { send, asked } = await start('updates', { mutating: { m: yes }, validating: { v: yes } })
  const { body } = await send('POST', maps, configMap('a'))
  asked()
  const revision = body.metadata.resourceVersion
  const writes: ReadonlyArray<[method: string, path: string, sent: unknown, headers: object, data: object]> =
    [
      ['PUT', `${maps}/a`, configMap('a', { k: '1' }), {}, { k: '1' }],
      ['PATCH', `${maps}/a`, { data: { k: '2' } }, merge, { k: '2' }],
      ['PATCH', `${maps}/a?fieldManager=x&force=true`, configMap('a', { k: '3' }), applied, { k: '3' }],
    ]
  let before = revision
  for (const [method, path, sent, headers, data] of writes) {
    const { status, body: written } = await send(method, path, sent, headers)
    assert.equal(status, 200)
    const [first, second, ...more] = asked()
    assert.deepEqual(more, [])
    for (const { request } of [first, second].filter((each) => each !== undefined)) {
      assert.equal(request.operation, 'UPDATE')
      assert.equal(request.options.kind, 'UpdateOptions')
      assert.deepEqual(request.object.data, data)
      assert.equal(request.oldObject.metadata.resourceVersion, before)
    }
    before = written.metadata.resourceVersion
  }
})

test('admission: an apply of something new is a create', async () => {
  const { send, asked } = await start('new', { mutating: { m: yes }, validating: { v: yes } })
  const path = `${maps}/a?fieldManager=x`
  assert.equal((await send('PATCH', path, configMap('a'), applied)).status, 201)
  const requests = asked().map(({ request }) => [request.operation, request.options.kind, request.oldObject])
  assert.deepEqual(requests, Array(2).fill(['CREATE', 'CreateOptions', null]))
})

test('admission: a webhook cannot make another object of the one that is updated', async () => {
  const says: Say = ({ operation }) =>
    operation === 'UPDATE' ? patchOf({ op: 'replace', path: '/metadata/name', value: 'b' }) : {}
  const { send } = await start('renamed', { mutating: { m: says } })
  await send('POST', maps, configMap('a'))
  const { status, body } = await send('PUT', `${maps}/a`, configMap('a', { k: '2' }))
  assert.equal(status, 422)
  assert.equal(
    body.message,
    'ConfigMap "a" is invalid: metadata.name: Invalid value: "b": field is immutable',
  )
})

test('admission: deletions are shown, by name and of many, and may be refused', async () => {
  const says: Say = ({ operation, oldObject }) => ({
    allowed: operation !== 'DELETE' || oldObject.data.k !== 'keep',
  })
  const { send, asked } = await start('deletes', { mutating: { m: yes }, validating: { v: says } })
  await send('POST', maps, configMap('a', { k: 'keep' }))
  await send('POST', maps, configMap('b'))
  asked()
  const refused = await send('DELETE', `${maps}/a`, { propagationPolicy: 'Background' })
  assert.equal(
    refused.body.message,
    'admission webhook "v.example.com" denied the request without explanation',
  )
  const [first] = asked()
  assert.deepEqual(first?.request.options, {
    ...{ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' },
  })
  const { operation, name, object, oldObject } = first?.request ?? {}
  assert.deepEqual([operation, name, object, oldObject.data], ['DELETE', 'a', null, { k: 'keep' }])
  assert.equal((await send('DELETE', maps)).status, 400)
  assert.deepEqual(new Set(asked().map(({ request }) => request.name ?? '')), new Set(['']))
  assert.equal((await send('GET', `${maps}/a`)).status, 200)
  assert.equal((await send('GET', `${maps}/b`)).status, 404)
})

test('admission: what is deleted cannot be changed on the way', async () => {
  const says: Say = ({ operation }) =>
    operation === 'DELETE' ? patchOf({ op: 'add', path: '/x', value: 1 }) : {}
  const { send } = await start('delete patched', { mutating: { m: says } })
  await send('POST', maps, configMap('a'))
  const { status, body } = await send('DELETE', `${maps}/a`)
  assert.equal(status, 500)
  assert.match(
    body.message,
    /admission webhook "m\.example\.com" attempted to modify the object, which is not supported for this operation$/,
  )
})

test('admission: webhooks are asked one after the other by name, and again if they want and others change', async () => {
  const count =
    (key: string): Say =>
    ({ object }) =>
      patchOf({ op: 'add', path: `/data/${key}`, value: `${Number(object.data[key] ?? 0) + 1}` })
  const says = { a: count('a'), b: count('b'), c: count('c') }
  const { send, asked } = await startAdmissionServer('reinvocation', says)
  const again = { reinvocationPolicy: 'IfNeeded' }
  await send('POST', configurationPath('Mutating'), configuration('Mutating', 'z', ['c', again]))
  await send('POST', configurationPath('Mutating'), configuration('Mutating', 'y', ['a', again], ['b']))
  const { body } = await send('POST', maps, configMap('x'))
  assert.deepEqual(
    asked().map(({ hook }) => hook),
    ['a', 'b', 'c', 'a', 'c'],
  )
  assert.deepEqual(body.data, { k: 'v', a: '2', b: '1', c: '2' })
})

test('admission: nothing is asked again where nothing changes', async () => {
  const { send, asked } = await start(
    'idle',
    { mutating: { m: yes, n: yes } },
    { reinvocationPolicy: 'IfNeeded' },
  )
  await send('POST', maps, configMap('x'))
  assert.equal(asked().length, 2)
})

test('admission: a webhook that knows another version gets that one, and answers in it', async () => {
  const rules = [
    { ...everything, apiGroups: ['lighthouse.example.dev'], apiVersions: ['v2'], resources: ['beacons'] },
  ]
  const says: Say = () => patchOf({ op: 'replace', path: '/spec/periodMs', value: 7000 })
  const { send, asked } = await start(
    'equivalent',
    { mutating: { m: says }, validating: { v: yes } },
    { rules },
  )
  const { body } = await send('POST', beaconPath('v1'), beacon('v1', 'b', 3))
  assert.equal(body.apiVersion, 'lighthouse.example.dev/v1')
  assert.equal(body.spec.everySeconds, 7)
  const [first, second] = asked()
  const shown = ({ request }: { request: Record<string, Record<string, unknown>> }) => [
    request['kind']?.['version'],
    request['requestKind']?.['version'],
    request['object']?.['apiVersion'],
  ]
  assert.deepEqual(first && shown(first), ['v2', 'v1', 'lighthouse.example.dev/v2'])
  assert.deepEqual(second && shown(second), ['v2', 'v1', 'lighthouse.example.dev/v2'])
  assert.equal(first?.request.object.spec.periodMs, 3000)
  const exact = await start('exact', { mutating: { m: says } }, { rules, matchPolicy: 'Exact' })
  await exact.send('POST', beaconPath('v1'), beacon('v1', 'b', 3))
  assert.deepEqual(exact.asked(), [])
})

test('admission: namespaces and objects are selected by labels, before and after', async () => {
  const selectors = {
    namespaceSelector: { matchLabels: { team: 'a' } },
    objectSelector: { matchLabels: { watched: 'yes' } },
  }
  const { send, asked } = await start('selectors', { validating: { v: yes } }, selectors)
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: { team: 'a' } } }
  await send('POST', '/api/v1/namespaces', namespace)
  assert.deepEqual(asked(), [], 'its labels are not those that are watched')
  const watched = { ...configMap('a'), metadata: { name: 'a', labels: { watched: 'yes' } } }
  await send('POST', maps, watched)
  assert.deepEqual(asked(), [], 'another namespace')
  const path = '/api/v1/namespaces/n/configmaps'
  await send('POST', path, watched)
  assert.equal(asked().length, 1)
  await send('PUT', `${path}/a`, configMap('a'))
  assert.equal(asked().length, 1, 'it was watched until now')
  await send('PUT', `${path}/a`, configMap('a', { k: '2' }))
  assert.deepEqual(asked(), [])
  const both = { ...namespace, metadata: { name: 'o', labels: { team: 'a', watched: 'yes' } } }
  await send('POST', '/api/v1/namespaces', both)
  const [{ request } = { request: {} }] = asked()
  assert.deepEqual([request.name, request.namespace], ['o', 'o'])
})

test('admission: in a missing namespace no webhook is called', async () => {
  const { send, asked } = await start('missing', { mutating: { m: yes } })
  const { status } = await send('POST', '/api/v1/namespaces/none/configmaps', configMap('a'))
  assert.equal(status, 404)
  assert.deepEqual(asked(), [])
})

test('admission: a dry run says so, and warnings reach the client', async () => {
  const says: Say = () => ({ warnings: ['mind the gap', 'mind the gap'] })
  const { send, asked } = await start('dry run', { mutating: { m: says }, validating: { v: says } })
  const { status, headers } = await send('POST', `${maps}?dryRun=All`, configMap('a'))
  assert.equal(status, 201)
  assert.deepEqual(headers['warning'], ['299 - "mind the gap"'])
  for (const { request } of asked()) {
    assert.equal(request.dryRun, true)
    assert.deepEqual(request.options.dryRun, ['All'])
  }
  assert.equal((await send('GET', `${maps}/a`)).status, 404)
})

test('admission: a name that is yet to be generated is empty, until it is there', async () => {
  const { send, asked } = await start('generated', { mutating: { m: yes }, validating: { v: yes } })
  const { body } = await send('POST', maps, { ...configMap(''), metadata: { generateName: 'x-' } })
  const [first, second] = asked()
  assert.equal(first?.request.name, undefined)
  assert.equal(second?.request.name, body.metadata.name)
})

test('admission: status and what finalizes a namespace are subresources', async () => {
  const { send, asked } = await start('subresources', { mutating: { m: yes }, validating: { v: yes } })
  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } })
  asked()
  const status = { status: { phase: 'Active' } }
  await send('PATCH', '/api/v1/namespaces/n/status', status, merge)
  assert.deepEqual(
    asked().map(({ request }) => [request.subResource, request.requestSubResource, request.kind.kind]),
    Array(2).fill(['status', 'status', 'Namespace']),
  )
  const { body } = await send('GET', '/api/v1/namespaces/n')
  await send('PUT', '/api/v1/namespaces/n/finalize', { ...body, spec: {} })
  assert.deepEqual(
    asked().map(({ request }) => request.subResource),
    ['finalize', 'finalize'],
  )
})

test('admission: a webhook that comes and goes is asked only while it is there', async () => {
  const { send, asked } = await start('comes and goes', { validating: { v: yes } })
  await send('POST', maps, configMap('a'))
  assert.equal(asked().length, 1)
  await send('DELETE', `${configurationPath('Validating')}/c`)
  await send('POST', maps, configMap('b'))
  assert.deepEqual(asked(), [])
})

const conditions: ReadonlyArray<[expressions: string[], isAsked: boolean, refusal?: string]> = [
  [['true'], true],
  [['object.data.k == "v"', 'request.operation == "CREATE"'], true],
  [['object.data.k == "w"'], false],
  [['oldObject != null'], false],
  [['request.userInfo.username == "admin" && "system:masters" in request.userInfo.groups'], true],
  [['request.resource.group != "" || has(object.metadata.labels)'], false],
  [['object.none == 1', 'false'], false],
  [
    ['object.none == 1'],
    false,
    `configmaps "a" is forbidden: expression 'object.none == 1' resulted in error: no such key: none`,
  ],
]
for (const [expressions, isAsked, refusal] of conditions) {
  for (const kind of ['mutating', 'validating'] as const) {
    test(`admission: a ${kind} webhook under conditions: ${expressions.join(', ')}`, async () => {
      const matchConditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }))
      const { send, asked } = await start('conditions', { [kind]: { h: yes } }, { matchConditions })
      const { status, body } = await send('POST', maps, configMap('a'))
      assert.equal(status, refusal === undefined ? 201 : 403)
      if (refusal !== undefined) assert.equal(body.message, refusal)
      assert.equal(asked().length, isAsked ? 1 : 0)
      const lenient = await start(
        'lenient',
        { [kind]: { h: yes } },
        { matchConditions, failurePolicy: 'Ignore' },
      )
      assert.equal((await lenient.send('POST', maps, configMap('a'))).status, 201)
      assert.equal(lenient.asked().length, isAsked ? 1 : 0)
    })
  }
}

test('admission: conditions that are wrong are refused when they are written', async () => {
  const { send } = await startAdmissionServer('wrong conditions', {})
  const matchConditions = [
    { name: 'a', expression: 'object.x +' },
    { name: 'b', expression: '1' },
    { name: 'c', expression: 'authorizer.group("x").resource("y").check("get").allowed()' },
  ]
  const wrong = configuration('Mutating', 'c', ['h', { matchConditions }])
  const { status, body } = await send('POST', configurationPath('Mutating'), wrong)
  assert.equal(status, 422)
  const fields = body.details.causes.map(({ field }: { field: string }) => field)
  assert.deepEqual(
    fields,
    [0, 1, 2].map((index) => `webhooks[0].matchConditions[${index}].expression`),
  )
  assert.match(body.details.causes[1].message, /must evaluate to bool/)
})
