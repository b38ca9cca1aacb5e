import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpHeaders } from '@strata/world'
import { configMap, startServer } from '../support/one-server.ts'

type Running = Awaited<ReturnType<typeof startServer>>

const group = 'rbac.authorization.k8s.io'
const apiVersion = `${group}/v1`
const paths = {
  roles: `/apis/${apiVersion}/namespaces/default/roles`,
  bindings: `/apis/${apiVersion}/namespaces/default/rolebindings`,
  clusterRoles: `/apis/${apiVersion}/clusterroles`,
  clusterBindings: `/apis/${apiVersion}/clusterrolebindings`,
  maps: '/api/v1/namespaces/default/configmaps',
} as const
const as = (name: string, ...groups: string[]) => ({
  'impersonate-user': name,
  ...(groups.length > 0 ? { 'impersonate-group': groups } : {}),
})
const rule = (verbs: string, resources: string, resourceNames?: string[]) => ({
  verbs: verbs.split(' '),
  apiGroups: ['', group],
  resources: resources.split(' '),
  ...(resourceNames ? { resourceNames } : {}),
})
const role = (kind: string, name: string, rules: unknown[], more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  rules,
  ...more,
})
const binding = (kind: string, name: string, roleKind: string, roleName: string, user: string) => ({
  apiVersion,
  kind,
  metadata: { name },
  roleRef: { apiGroup: group, kind: roleKind, name: roleName },
  subjects: [{ kind: 'User', name: user }],
})

async function start(seed: string): Promise<Running> {
  const running = await startServer(seed, { bootstrapPolicy: true })
  // The cache follows the writes of the start; a read that waits for it sees them all.
  await running.send('GET', paths.clusterBindings)
  return running
}

/** Gives rules to a user in all namespaces, as the administrator, and waits until the server knows. */
async function give({ send }: Running, user: string, ...rules: unknown[]): Promise<void> {
  const name = `given-to-${user}`
  assert.equal((await send('POST', paths.clusterRoles, role('ClusterRole', name, rules))).status, 201)
  const bound = binding('ClusterRoleBinding', name, 'ClusterRole', name, user)
  assert.equal((await send('POST', paths.clusterBindings, bound)).status, 201)
  await send('GET', paths.clusterBindings)
}

const writer = rule('create update patch get delete', 'roles clusterroles rolebindings clusterrolebindings')
const secretRule = rule('get', 'secrets')

test('rights: users cannot grant by a role what they do not have', async () => {
  const running = await start('role-escalation')
  const { send } = running
  await give(running, 'eve', writer, rule('get', 'configmaps'))
  const mine = role('Role', 'mine', [rule('get', 'configmaps')])
  assert.equal((await send('POST', paths.roles, mine, as('eve'))).status, 201)

  const more = role('Role', 'mine', [rule('get', 'configmaps'), secretRule])
  const asJsonPatch = [{ op: 'add', path: '/rules/-', value: secretRule }]
  const json = { ...as('eve'), 'content-type': 'application/json-patch+json' }
  const merge = { ...as('eve'), 'content-type': 'application/merge-patch+json' }
  const strategic = { ...as('eve'), 'content-type': 'application/strategic-merge-patch+json' }
  const apply = { ...as('eve'), 'content-type': 'application/apply-patch+yaml' }
  const attempts: readonly Parameters<typeof send>[] = [
    ['POST', paths.roles, role('Role', 'more', [secretRule]), as('eve')],
    ['POST', paths.clusterRoles, role('ClusterRole', 'more', [secretRule]), as('eve')],
    ['POST', `${paths.roles}?dryRun=All`, role('Role', 'more', [secretRule]), as('eve')],
    ['PUT', `${paths.roles}/mine`, more, as('eve')],
    ['PUT', `${paths.roles}/absent`, role('Role', 'absent', [secretRule]), as('eve')],
    ['PATCH', `${paths.roles}/mine`, { rules: more.rules }, merge],
    ['PATCH', `${paths.roles}/mine`, { rules: more.rules }, strategic],
    ['PATCH', `${paths.roles}/mine`, asJsonPatch, json],
    ['PATCH', `${paths.roles}/mine?fieldManager=m&force=true`, more, apply],
    ['PATCH', `${paths.roles}/applied?fieldManager=m`, role('Role', 'applied', [secretRule]), apply],
  ]
  for (const attempt of attempts) {
    const { status, body } = await send(...attempt)
    assert.equal(status, 403, body.message)
    assert.match(body.message, /attempting to grant RBAC permissions not currently held:\n.*"secrets"/)
  }
  assert.deepEqual((await send('GET', `${paths.roles}/mine`)).body.rules, mine.rules)
  for (const name of ['absent', 'applied', 'more']) {
    assert.equal((await send('GET', `${paths.roles}/${name}`)).status, 404, name)
  }
})

test('rights: a role with very many rights is refused in few words, and blocks no other request', async () => {
  const running = await start('vast-role')
  const { send } = running
  const many = (prefix: string) => Array.from({ length: 150 }, (_, index) => `${prefix}${index}`)
  const vast = { verbs: many('v'), apiGroups: many('g'), resources: many('r'), resourceNames: many('n') }
  await give(running, 'eve', writer)
  const refused = await send('POST', paths.roles, role('Role', 'vast', [vast]), as('eve'))
  assert.equal(refused.status, 403)
  assert.match(refused.body.message, /permissions not currently held:\n.*\nand more$/s)
  // Held, but by several rules: that would have to be looked at part by part.
  const halves = ['v', 'w'].map((prefix) => ({ ...vast, verbs: many(prefix) }))
  await give(running, 'ann', writer, ...halves)
  const both = { ...vast, verbs: [...many('v'), ...many('w')] }
  for (const path of [paths.roles, `${paths.roles}?dryRun=All`]) {
    const { status, body } = await send('POST', path, role('Role', 'vast', [both]), as('ann'))
    assert.equal(status, 403)
    assert.match(body.message, /more RBAC permissions at once than can be compared with those held/)
  }
  assert.equal((await send('POST', paths.roles, role('Role', 'halves', halves), as('ann'))).status, 201)
  assert.equal((await send('POST', paths.roles, role('Role', 'both', [both]))).status, 201)
  await send('GET', paths.roles)
  const bound = binding('RoleBinding', 'both', 'Role', 'both', 'ann')
  assert.equal((await send('POST', paths.bindings, bound, as('ann'))).status, 403)
})

test('rights: users cannot grant by a binding what they do not have', async () => {
  const running = await start('binding-escalation')
  const { send } = running
  await give(running, 'eve', writer)
  const self = binding('ClusterRoleBinding', 'up', 'ClusterRole', 'cluster-admin', 'eve')
  const local = binding('RoleBinding', 'up', 'ClusterRole', 'cluster-admin', 'eve')
  for (const [path, body] of [
    [paths.clusterBindings, self],
    [paths.bindings, local],
  ] as const) {
    const refused = await send('POST', path, body, as('eve'))
    assert.equal(refused.status, 403)
    assert.match(refused.body.message, /^(?:cluster)?rolebindings\.rbac\.\S+ "up" is forbidden: user "eve" /)
  }
  // A binding that is there already is not extended to oneself either.
  await send('POST', paths.bindings, binding('RoleBinding', 'theirs', 'ClusterRole', 'cluster-admin', 'ann'))
  const subjects = [{ kind: 'User', name: 'eve' }]
  const merge = { ...as('eve'), 'content-type': 'application/merge-patch+json' }
  assert.equal((await send('PATCH', `${paths.bindings}/theirs`, { subjects }, merge)).status, 403)
  // Nor can they bind a role before it exists, for another user to fill.
  const early = binding('RoleBinding', 'early', 'ClusterRole', 'not-yet', 'eve')
  assert.equal((await send('POST', paths.bindings, early, as('eve'))).status, 404)
  assert.equal((await send('GET', '/api/v1/secrets', undefined, as('eve'))).status, 403)
})

test('rights: a role that gathers others is for those who may do everything', async () => {
  const running = await start('aggregation-escalation')
  const { send } = running
  await give(running, 'eve', writer, rule('get', 'configmaps'))
  const gather = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { any: 'thing' } }] } }
  const made = await send('POST', paths.clusterRoles, role('ClusterRole', 'all', [], gather), as('eve'))
  assert.equal(made.status, 403)
  assert.match(made.body.message, /must have cluster-admin privileges to use the aggregationRule$/)
  // By a label, rights would flow into the roles that everybody's rights come from.
  const labelled = role('ClusterRole', 'flows', [secretRule])
  Object.assign(labelled.metadata, { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } })
  assert.equal((await send('POST', paths.clusterRoles, labelled, as('eve'))).status, 403)
  const patch = { rules: [rule('get', 'configmaps')] }
  const merge = { ...as('eve'), 'content-type': 'application/merge-patch+json' }
  const changed = await send('PATCH', `${paths.clusterRoles}/view`, patch, merge)
  assert.match(changed.body.message, /must have cluster-admin privileges/)
})

test('rights: aggregated roles count with the rules they gather, though no controller has stored them', async () => {
  const running = await start('aggregation-at-once')
  const { send } = running
  await give(running, 'eve', writer)
  for (const name of ['admin', 'edit', 'view']) {
    assert.equal((await send('GET', `${paths.clusterRoles}/${name}`)).body.rules, null, 'no controller runs')
    const mine = binding('RoleBinding', name, 'ClusterRole', name, 'eve')
    const { status, body } = await send('POST', paths.bindings, mine, as('eve'))
    assert.equal(status, 403, `${name}: ${body.message}`)
    assert.match(body.message, /attempting to grant RBAC permissions not currently held:\n/)
  }
  // A user who gets the role from an administrator has its rights at once, and all that is added to it by a label.
  assert.equal((await send('GET', paths.maps, undefined, as('ann'))).status, 403)
  await send('POST', paths.bindings, binding('RoleBinding', 'ann', 'ClusterRole', 'view', 'ann'))
  await send('GET', paths.bindings)
  assert.equal((await send('GET', paths.maps, undefined, as('ann'))).status, 200)
  assert.equal((await send('GET', paths.roles, undefined, as('ann'))).status, 403)
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
  const added = role('ClusterRole', 'more', [rule('list', 'roles')], { metadata: { name: 'more', labels } })
  assert.equal((await send('POST', paths.clusterRoles, added)).status, 201)
  await send('GET', paths.clusterRoles)
  assert.equal((await send('GET', paths.roles, undefined, as('ann'))).status, 200)
  await send('DELETE', `${paths.clusterRoles}/more`)
  await send('GET', paths.clusterRoles)
  assert.equal((await send('GET', paths.roles, undefined, as('ann'))).status, 403)
})

test('rights: escalate and bind are rights of their own, for what they name', async () => {
  const running = await start('escalate-and-bind')
  const { send } = running
  await give(
    running,
    'eve',
    writer,
    rule('escalate', 'roles', ['named']),
    rule('bind', 'clusterroles', ['view']),
  )
  await send('POST', paths.roles, role('Role', 'named', []))
  const put = (name: string) =>
    send('PUT', `${paths.roles}/${name}`, role('Role', name, [secretRule]), as('eve'))
  assert.equal((await put('named')).status, 200)
  assert.equal((await put('other')).status, 403)
  const bind = (to: string) =>
    send('POST', paths.bindings, binding('RoleBinding', to, 'ClusterRole', to, 'eve'), as('eve'))
  assert.equal((await bind('view')).status, 201)
  assert.equal((await bind('edit')).status, 403)
  assert.equal((await bind('cluster-admin')).status, 403)
})

test('rights: who cleans up may change owners and finalizers of what they could not give', async () => {
  const running = await start('owners')
  const { send } = running
  await give(running, 'gc', rule('get patch update', 'roles'))
  await send('POST', paths.roles, role('Role', 'r', [secretRule]))
  const merge = { ...as('gc'), 'content-type': 'application/merge-patch+json' }
  const finalizers = { metadata: { finalizers: ['x.dev/f'] } }
  assert.equal((await send('PATCH', `${paths.roles}/r`, finalizers, merge)).status, 200)
  const labels = { metadata: { labels: { a: 'b' } } }
  assert.equal((await send('PATCH', `${paths.roles}/r`, labels, merge)).status, 403)
})

test('rights: the right to change is not the right to create', async () => {
  const running = await start('create-by-update')
  const { send } = running
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} }
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l'
  const update = { verbs: ['update', 'patch'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  await give(running, 'eve', update)
  const apply = { ...as('eve'), 'content-type': 'application/apply-patch+yaml' }
  for (const refused of [
    await send('PUT', path, lease, as('eve')),
    await send('PATCH', `${path}?fieldManager=m`, lease, apply),
  ]) {
    assert.equal(refused.status, 403)
    assert.match(refused.body.message, /User "eve" cannot create resource "leases"/)
  }
  await give(running, 'ann', { ...update, verbs: ['update', 'create'] })
  assert.equal((await send('PUT', path, lease, as('ann'))).status, 201)
})

// A controller with rights on Leases, for its leader election, could otherwise keep a whole fleet from agreeing.
test('rights: a Lease that counts as an API server needs the right to change agreement records', async () => {
  const running = await start('identity-leases')
  const { send } = running
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
  const identity = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
  const lease = (name: string, labels: object) => ({
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, labels } },
    spec: { holderIdentity: 'eve', leaseDurationSeconds: 15 },
  })
  const all = { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  await give(running, 'eve', all)
  const forged = await send('POST', leases, lease('apiserver-forged', identity), as('eve'))
  assert.equal(forged.status, 403)
  assert.match(forged.body.message, /counts as an API server.*user "eve" also needs the right to update/)
  assert.equal((await send('POST', leases, lease('eve', {}), as('eve'))).status, 201, 'any other Lease')
  const merge = { ...as('eve'), 'content-type': 'application/merge-patch+json' }
  const label = { metadata: { labels: identity } }
  assert.equal((await send('PATCH', `${leases}/eve`, label, merge)).status, 403, 'by a label')
  const found = await send('GET', `${leases}?labelSelector=apiserver.kubernetes.io/identity`)
  const own = found.body.items[0].metadata.name
  const taken = { spec: { holderIdentity: 'eve' } }
  assert.equal((await send('PATCH', `${leases}/${own}`, taken, merge)).status, 403, 'that of a live server')
  assert.equal((await send('DELETE', `${leases}/${own}`, undefined, as('eve'))).status, 403)
  const unlabelled = lease('apiserver-j3agt6uezsya7e3uhyouvf6bpa', {})
  const named = await send('POST', leases, unlabelled, as('eve'))
  assert.equal(named.status, 403, 'by the name of a server')
  assert.match(named.body.message, /identity of an API server.*user "eve" also needs the right to update/)
  assert.equal((await send('DELETE', leases, undefined, as('eve'))).status, 403, 'all of them at once')
  assert.equal((await send('GET', `${leases}/${own}`)).status, 200)
  const others = `${leases}?labelSelector=!apiserver.kubernetes.io/identity`
  assert.equal((await send('DELETE', others, undefined, as('eve'))).status, 200, 'all others')
  const agreements = { verbs: ['update'], apiGroups: ['strata.dev'], resources: ['storageagreements'] }
  await give(running, 'ann', all, agreements)
  const foreign = await send('POST', leases, lease('apiserver-foreign', identity), as('ann'))
  assert.equal(foreign.status, 201, 'another program that is trusted with it')
  const gone = `${leases}/apiserver-foreign`
  assert.equal((await send('DELETE', gone, undefined, as('eve'))).status, 403)
  assert.equal((await send('DELETE', gone, undefined, as('ann'))).status, 200)
  // An administrator may: the server takes its Lease again.
  assert.equal((await send('DELETE', `${leases}/${own}`)).status, 200)
})

test('rights: so does the Lease of an aggregated server, by its label or by its name', async () => {
  const running = await start('aggregated-leases')
  const { send } = running
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
  const lease = (name: string, labels: object) => ({
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, labels } },
    spec: { holderIdentity: 'eve', leaseDurationSeconds: 15 },
  })
  const aggregated = { 'apiserver.kubernetes.io/identity': 'aggregated-apiserver' }
  const name = 'aggregated-apiserver-j3agt6uezsya7e3uhyouvf6bpa'
  const all = { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  await give(running, 'eve', all)
  assert.equal((await send('POST', leases, lease('any-name', aggregated), as('eve'))).status, 403)
  assert.equal((await send('POST', leases, lease(name, {}), as('eve'))).status, 403)
  const agreements = { verbs: ['update'], apiGroups: ['strata.dev'], resources: ['storageagreements'] }
  await give(running, 'mirror', all, agreements)
  assert.equal((await send('POST', leases, lease(name, aggregated), as('mirror'))).status, 201)
  const merge = { ...as('eve'), 'content-type': 'application/merge-patch+json' }
  const renewed = { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } }
  assert.equal((await send('PATCH', `${leases}/${name}`, renewed, merge)).status, 403)
  const hidden = { metadata: { labels: { 'apiserver.kubernetes.io/identity': null } } }
  assert.equal((await send('PATCH', `${leases}/${name}`, hidden, merge)).status, 403)
  assert.equal((await send('DELETE', `${leases}/${name}`, undefined, as('eve'))).status, 403)
  assert.equal((await send('DELETE', `${leases}/${name}`, undefined, as('mirror'))).status, 200)
})

test('rights: users cannot impersonate without the right to', async () => {
  const running = await start('impersonation')
  const { send } = running
  const impersonator = rule('impersonate', 'users', ['bob'])
  await give(running, 'eve', impersonator)
  // The administrator acts as eve by a certificate's name; eve's own requests come with one.
  const peer = { anchor: 'client', commonName: 'eve', organizations: [] }
  const ask = async (headers: HttpHeaders) => {
    const request = {
      method: 'GET',
      target: '/api',
      headers,
      peer,
      signal: new AbortController().signal,
    }
    return (await running.simulation.settle(running.server.handle(request))).status
  }
  assert.equal(await ask({}), 200, 'discovery is for everybody who is known')
  assert.equal(await ask(as('bob')), 200)
  for (const headers of [
    as('ann'),
    as('system:admin'),
    as('bob', 'system:masters'),
    as('eve', 'system:masters'),
    { ...as('bob'), 'impersonate-uid': '1' },
    { ...as('bob'), 'impersonate-extra-scopes': 'all' },
    as('system:serviceaccount:kube-system:generic-garbage-collector'),
    as('system:node:n1'),
  ]) {
    assert.equal(await ask(headers), 403, JSON.stringify(headers))
  }
  for (const headers of [
    { 'impersonate-group': 'system:masters' },
    { 'impersonate-uid': '1' },
    { 'impersonate-extra-scopes': 'all' },
    { 'impersonate-user': '', 'impersonate-group': 'system:masters' },
  ]) {
    assert.equal(await ask(headers), 400, JSON.stringify(headers))
  }
  assert.equal((await send('GET', '/api', undefined, as('bob'))).status, 200)
})

test('rights: rights to one object are not rights to others, whatever the path looks like', async () => {
  const running = await start('paths')
  const { send } = running
  for (const name of ['mine', 'other']) await send('POST', paths.maps, configMap(name))
  await give(running, 'eve', rule('get list watch', 'configmaps', ['mine']))
  const status = async (path: string, method = 'GET') =>
    (await send(method, path, undefined, as('eve'))).status
  assert.equal(await status(`${paths.maps}/mine`), 200)
  const named = await send('GET', `${paths.maps}?fieldSelector=metadata.name%3Dmine`, undefined, as('eve'))
  assert.deepEqual(
    named.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ['mine'],
  )
  const narrower = `${paths.maps}?fieldSelector=metadata.name%3Dmine,metadata.name%3Dother`
  assert.deepEqual((await send('GET', narrower, undefined, as('eve'))).body.items, [])
  const twice = `${paths.maps}?fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dother`
  const seen = (await send('GET', twice, undefined, as('eve'))).body.items ?? []
  assert.ok(seen.every(({ metadata }: { metadata: { name: string } }) => metadata.name === 'mine'))
  const tricks = [
    paths.maps,
    `${paths.maps}/`,
    `${paths.maps}/other`,
    `${paths.maps}/other/`,
    `${paths.maps}/%6Fther`,
    `${paths.maps}?fieldSelector=metadata.name!%3Dmine`,
    `${paths.maps}?fieldSelector=metadata.name%3Dother`,
    `${paths.maps}?watch=1`,
    '/api/v1/configmaps',
    '/api/v1/watch/namespaces/default/configmaps/other?fieldSelector=metadata.name%3Dmine',
    '/api/v1/namespaces/default/secrets/mine',
    '/api/v1/namespaces/default/configmaps/mine/status',
    '/metrics',
    '/livez/ping',
  ]
  for (const path of tricks) assert.equal(await status(path), 403, path)
  // Not the path of any resource, and answered as what it is: unknown.
  const nowhere = [
    `${paths.maps}/mine/../other`,
    `${paths.maps}/mine%2F..%2Fother`,
    '//api/v1/namespaces/default/configmaps/other',
    '/api//v1/namespaces/default/configmaps/other',
    '/api/v1/namespaces/default/configmaps/other/a/b/c',
    '/API/v1/namespaces/default/configmaps/other',
    '/api/v1/namespaces/default/configmaps/mine;other',
    '/api/v1\\namespaces\\default\\configmaps\\other',
  ]
  for (const path of nowhere) {
    const answer = await send('GET', path, undefined, as('eve'))
    assert.ok([403, 404].includes(answer.status), `${path}: ${answer.status}`)
    assert.doesNotMatch(JSON.stringify(answer.body), /"kind":"ConfigMap/, path)
  }
  for (const method of ['DELETE', 'PUT', 'PATCH', 'POST', 'HEAD']) {
    assert.notEqual(await status(`${paths.maps}/other`, method), 200, method)
  }
})

test('rights: strangers see whether we are alive, and those who are known what there is', async () => {
  const { send } = await start('discovery-roles')
  const anonymous = { authorization: '' }
  for (const path of ['/livez', '/readyz', '/healthz', '/version']) {
    assert.equal((await send('GET', path, undefined, anonymous)).status, 200, path)
  }
  for (const path of ['/api', '/apis', '/openapi/v2', '/metrics', '/livez/ping']) {
    assert.equal((await send('GET', path, undefined, anonymous)).status, 403, path)
  }
  for (const path of ['/api', '/apis', '/apis/coordination.k8s.io/v1']) {
    assert.equal((await send('GET', path, undefined, as('ann'))).status, 200, path)
  }
  assert.equal((await send('POST', '/api', {}, as('ann'))).status, 403)
})

test('rights: other modes', async () => {
  const open = await startServer('always-allow', { authorizationModes: ['AlwaysAllow'] })
  assert.equal((await open.send('GET', paths.maps, undefined, as('ann'))).status, 200)
  const closed = await startServer('always-deny', { authorizationModes: ['AlwaysDeny'] })
  const refused = await closed.send('GET', paths.maps, undefined, as('ann'))
  assert.match(refused.body.message, /in the namespace "default": Everything is forbidden\.$/)
  assert.equal((await closed.send('GET', paths.maps)).status, 200)
})

// An aggregated server that was taken over could otherwise delete the Leases of the aggregator.
test('rights: the account of an aggregated server writes Leases of aggregated servers, and no others', async () => {
  const running = await start('mirror-right')
  const { send } = running
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
  const lease = (name: string, identity: string) => ({
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: { name, labels: { 'apiserver.kubernetes.io/identity': identity } },
    spec: { holderIdentity: 'mia', leaseDurationSeconds: 15 },
  })
  const all = { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
  const mirror = { verbs: ['update'], apiGroups: ['strata.dev'], resources: ['storageagreements/mirror'] }
  await give(running, 'mia', all, mirror)
  const status = async (...sent: Parameters<typeof send>): Promise<number> => (await send(...sent)).status
  const name = 'aggregated-apiserver-j3agt6uezsya7e3uhyouvf6bpa'
  assert.equal(await status('POST', leases, lease(name, 'aggregated-apiserver'), as('mia')), 201)
  const merge = { ...as('mia'), 'content-type': 'application/merge-patch+json' }
  const renewed = { spec: { leaseDurationSeconds: 20 } }
  assert.equal(await status('PATCH', `${leases}/${name}`, renewed, merge), 200)
  const label = (value: string | null) => ({
    metadata: { labels: { 'apiserver.kubernetes.io/identity': value } },
  })
  assert.equal(
    await status('PATCH', `${leases}/${name}`, label('kube-apiserver'), merge),
    403,
    'into the fleet',
  )
  assert.equal(await status('PATCH', `${leases}/${name}`, label(null), merge), 403, 'out of sight')
  const fleetName = 'apiserver-j3agt6uezsya7e3uhyouvf6bpa'
  for (const identity of ['aggregated-apiserver', 'kube-apiserver']) {
    assert.equal(await status('POST', leases, lease(fleetName, identity), as('mia')), 403, identity)
  }
  const found = await send('GET', `${leases}?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver`)
  const own = `${leases}/${found.body.items[0].metadata.name}`
  assert.equal(await status('DELETE', own, undefined, as('mia')), 403)
  assert.equal(await status('PATCH', own, label('aggregated-apiserver'), merge), 403)
  const records = '/apis/strata.dev/v1alpha1/storageagreements/core.configmaps'
  const record = (await send('GET', records)).body
  assert.equal(await status('PUT', records, record, as('mia')), 403, 'and no record')
  assert.equal(await status('DELETE', `${leases}/${name}`, undefined, as('mia')), 200)
})
