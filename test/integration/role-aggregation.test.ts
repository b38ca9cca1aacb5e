import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectorFleet } from '../support/collector-fleet.ts'

const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })
const role = (name: string, labels: Record<string, string>, verb: string) => ({
  metadata: { name, labels },
  rules: [rule(verb)],
})
const gathering = (name: string, label: string, labels = {}) => ({
  metadata: { name, labels },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'yes' } }] },
})

test('aggregation: roles follow what they gather, also through one another, until they rest', async () => {
  const fleet = new CollectorFleet('aggregation')
  await fleet.startServer('s')
  const { acts } = fleet.startControllers('c', ['s'], undefined, ['clusterrole-aggregation'])
  const verbsOf = async (name: string): Promise<string[]> => {
    // More than enough for a watch, a patch, and the watch of that.
    await fleet.pass(5_000)
    const { body } = await fleet.ask('s', 'GET', `${path}/${name}`)
    return (body.rules ?? []).map(({ verbs }: { verbs: string[] }) => verbs[0])
  }
  for (const each of [
    gathering('view', 'to-view', { 'to-edit': 'yes' }),
    gathering('edit', 'to-edit'),
    role('a', { 'to-view': 'yes' }, 'get'),
    role('b', { 'to-edit': 'yes' }, 'update'),
    role('c', {}, 'delete'),
  ]) {
    assert.equal((await fleet.ask('s', 'POST', path, each)).status, 201)
  }
  await fleet.pass(20_000)
  assert.deepEqual(await verbsOf('view'), ['get'])
  assert.deepEqual(await verbsOf('edit'), ['update', 'get'])

  await fleet.ask('s', 'POST', path, role('d', { 'to-view': 'yes' }, 'list'))
  assert.deepEqual(await verbsOf('edit'), ['update', 'get', 'list'])
  await fleet.ask('s', 'DELETE', `${path}/a`)
  assert.deepEqual(await verbsOf('edit'), ['update', 'list'])
  await fleet.ask('s', 'DELETE', `${path}/d`)
  assert.deepEqual(await verbsOf('view'), [])

  const before = acts.length
  await fleet.pass(60_000)
  assert.deepEqual(acts.slice(before), [], 'nothing is left to do')
})
