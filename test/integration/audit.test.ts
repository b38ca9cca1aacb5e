import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll } from '@strata/world'
import { adminToken } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

type Policy = NonNullable<NonNullable<Parameters<typeof startServer>[1]>['audit']>['policy']
type Rule = Policy['rules'][number]
const rule = (level: Rule['level'], more: Partial<Rule> = {}): Rule => ({
  level,
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: ['RequestReceived'],
  omitManagedFields: false,
  ...more,
})

/** A server that writes down what its rules say; `events` are those since the last time. */
async function start(seed: string, ...rules: Rule[]) {
  const lines: string[] = []
  const sink = { write: (line: string) => void lines.push(line), written: 7, dropped: 3 }
  const started = await startServer(seed, { audit: { policy: { rules }, sink } })
  const events = () =>
    lines.splice(0).map((line) => {
      assert.equal(line.includes('\n'), false)
      return JSON.parse(line)
    })
  return { ...started, events }
}

test('audit: an event says who did what to what, and how it ended, as upstream does', async () => {
  const { send, events } = await start('event', rule('Metadata', { omitStages: [] }))
  const headers = { 'audit-id': 'id-1', 'user-agent': 'test/1', 'x-forwarded-for': '10.0.0.9, 10.0.0.8' }
  await send('POST', `${maps}?pretty=0`, configMap('a'), headers)
  const [received, complete, ...more] = events()
  assert.deepEqual(more, [])
  const { requestReceivedTimestamp, stageTimestamp, ...rest } = complete
  assert.match(requestReceivedTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  assert.ok(stageTimestamp >= requestReceivedTimestamp)
  assert.equal(received.stageTimestamp, received.requestReceivedTimestamp)
  assert.deepEqual(rest, {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: 'id-1',
    stage: 'ResponseComplete',
    requestURI: `${maps}?pretty=0`,
    verb: 'create',
    user: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    sourceIPs: ['10.0.0.9', '10.0.0.8'],
    userAgent: 'test/1',
    objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
  })
  assert.equal(received.stage, 'RequestReceived')
  assert.equal(received.responseStatus, undefined)
})

test('audit: what is in objects is written down when the policy says so, and only then', async () => {
  const secrets = '/api/v1/namespaces/default/secrets'
  const levels = (['Metadata', 'Request', 'RequestResponse'] as const).map((level) =>
    rule(level, { namespaces: [level.toLowerCase()] }),
  )
  const { send, events } = await start('contents', ...levels)
  for (const level of ['metadata', 'request', 'requestresponse', 'quiet']) {
    await send('POST', '/api/v1/namespaces', { metadata: { name: level } })
  }
  events()
  const secret = { metadata: { name: 's' }, stringData: { password: 'hunter2' } }
  const texts: Record<string, string> = {}
  for (const level of ['metadata', 'request', 'requestresponse', 'quiet']) {
    await send('POST', secrets.replace('default', level), secret)
    texts[level] = JSON.stringify(events())
  }
  const encoded = Buffer.from('hunter2').toString('base64')
  const [metadata = '', request = '', both = ''] = Object.values(texts)
  assert.equal(metadata.includes('hunter2') || metadata.includes(encoded), false)
  assert.equal(request.includes('hunter2'), true)
  assert.equal(request.includes('responseObject'), false)
  assert.equal(both.includes('hunter2') && both.includes(encoded), true)
  assert.equal(texts['quiet'], '[]')
})

test('audit: objects and patches are there as they were sent and answered, lists in full', async () => {
  const { send, events } = await start('objects', rule('RequestResponse'))
  await send('POST', maps, configMap('a', { big: '1' }))
  const [created] = events()
  assert.deepEqual(created.requestObject, configMap('a', { big: '1' }))
  assert.equal(created.responseObject.kind, 'ConfigMap')
  assert.equal(created.responseObject.metadata.managedFields.length, 1)
  const merge = { 'content-type': 'application/merge-patch+json' }
  await send('PATCH', `${maps}/a`, { data: { more: '2' } }, merge)
  const [patched] = events()
  assert.deepEqual(patched.requestObject, { data: { more: '2' } })
  assert.equal(patched.responseObject.data.more, '2')
  await send('GET', maps)
  const [listed] = events()
  assert.deepEqual([listed.verb, listed.responseObject.items.length], ['list', 1])
  await send('DELETE', `${maps}/a`)
  const [deleted] = events()
  assert.equal(deleted.responseStatus.status, 'Success')
  assert.equal(deleted.responseStatus.details.name, 'a')
})

test('audit: managed fields can be left out, of objects and of those in lists', async () => {
  const { send, events } = await start('fields', rule('RequestResponse', { omitManagedFields: true }))
  await send('POST', maps, configMap('a'))
  await send('GET', maps)
  const [created, listed] = events()
  assert.equal(created.responseObject.metadata.name, 'a')
  assert.equal(created.responseObject.metadata.managedFields, undefined)
  assert.equal(listed.responseObject.items[0].metadata.managedFields, undefined)
})

test('audit: refusals are written down with their reason', async () => {
  const { send, events } = await start('refusals', rule('Metadata'))
  await send('GET', `${maps}/no`)
  const [absent] = events()
  assert.deepEqual(absent.responseStatus, {
    metadata: {},
    status: 'Failure',
    message: 'configmaps "no" not found',
    reason: 'NotFound',
    details: { name: 'no', kind: 'configmaps' },
    code: 404,
  })
  await send('GET', maps, undefined, { authorization: '' })
  const [forbidden] = events()
  assert.equal(forbidden.user.username, 'system:anonymous')
  assert.equal(forbidden.annotations['authorization.k8s.io/decision'], 'forbid')
  await send('GET', maps, undefined, { authorization: 'Bearer wrong' })
  const [unknown, ...more] = events()
  assert.deepEqual(more, [])
  assert.equal(unknown.stage, 'ResponseStarted')
  assert.deepEqual(unknown.user, {})
  assert.deepEqual(unknown.responseStatus, {
    metadata: {},
    message: 'Authentication failed, attempted: bearer',
    code: 401,
  })
  await send('POST', '/healthz', {}, {})
  assert.equal(events()[0].verb, 'post')
})

test('audit: an impersonated request is recorded with both users', async () => {
  const { send, events } = await start('impersonation', rule('Metadata'))
  await send('GET', maps, undefined, { 'impersonate-user': 'eve' })
  const [event] = events()
  assert.equal(event.user.username, 'admin')
  assert.deepEqual(event.impersonatedUser, { username: 'eve', groups: ['system:authenticated'] })
  assert.equal(event.responseStatus.code, 403)
})

test('audit: a watch is written down when it begins and when it ends, without what it shows', async () => {
  const { simulation, server, send, events } = await start('watch', rule('RequestResponse'))
  const request = {
    method: 'GET',
    target: `${maps}?watch=1&timeoutSeconds=5`,
    headers: { authorization: `Bearer ${adminToken}` },
    signal: new AbortController().signal,
  }
  const { body } = await simulation.settle(server.handle(request))
  const [started] = events()
  assert.deepEqual(
    [started.stage, started.verb, started.responseStatus.code],
    ['ResponseStarted', 'watch', 200],
  )
  await send('POST', maps, configMap('a'))
  events()
  await simulation.settle(readAll(body))
  const [ended] = events()
  assert.equal(ended.stage, 'ResponseComplete')
  assert.equal(ended.responseObject, undefined)
})

test('audit: the token that was made is named by its id, for those who look for its uses', async () => {
  const { send, events } = await start('token', rule('Metadata'))
  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await send('POST', accounts, { metadata: { name: 'bot' } })
  const { token } = (await send('POST', `${accounts}/bot/token`, { spec: {} })).body.status
  const issued = events()[1].annotations['authentication.kubernetes.io/issued-credential-id']
  await send('GET', maps, undefined, { authorization: `Bearer ${token}` })
  assert.deepEqual(events()[0].user.extra, { 'authentication.kubernetes.io/credential-id': [issued] })
})

test('audit: what was written and what was dropped can be watched from outside', async () => {
  const { send } = await start('metrics', rule('None'))
  const { body } = await send('GET', '/metrics')
  assert.match(body, /# TYPE apiserver_audit_event_total counter\napiserver_audit_event_total 7\n/)
  assert.match(body, /apiserver_audit_error_total\{plugin="log"\} 3\n/)
})
